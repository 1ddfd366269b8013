import type { MarkdownRenderer } from 'vitepress';
import { siteLink } from './links.ts';

/** A plugin of markdown-it: links lead to pages of the site or to files in the repository. */
export function rewriteLinks(md: MarkdownRenderer): void {
  md.core.ruler.push('site-links', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []);
    for (const token of links.filter(({ type }) => type === 'link_open')) {
      const href = token.attrGet('href');
      if (href !== null) token.attrSet('href', siteLink(env.relativePath, href));
    }
  });
}
