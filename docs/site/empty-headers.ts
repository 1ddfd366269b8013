import type { MarkdownRenderer } from 'vitepress';

/**
 * A plugin of markdown-it: Markdown requires a header row in each table, and a cell of it may be empty. A screen reader
 * would announce it as an empty header, so it becomes an ordinary cell. The style sheet hides a row without headers.
 */
export function withoutEmptyHeaders(md: MarkdownRenderer): void {
  md.core.ruler.push('empty-headers', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const [content, end] = tokens.slice(index + 1, index + 3);
      if (token.type !== 'th_open' || content?.content !== '' || end === undefined) continue;
      token.tag = 'td';
      end.tag = 'td';
    }
  });
}
