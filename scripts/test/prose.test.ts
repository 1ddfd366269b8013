import { expect, it } from 'vitest';
import sources from '../prose-of-sources.mjs';

interface Piece {
  readonly range: readonly [start: number, end: number];
  readonly loc: { readonly start: { readonly line: number } };
}

/** The prose that textlint checks in a source, by line. */
function proseOf(source: string): [line: number, text: string][] {
  const { text, ast } = new sources.Processor().processor().preProcess(source, 'file.ts');
  return ast.children.map(({ range: [start, end], loc }: Piece) => [
    loc.start.line,
    text.slice(start, end).replace(/\s+/g, ' ').trim(),
  ]);
}

it('the prose check finds comments, joined over lines, without quoted code', () => {
  const block = '/**\n * The `first`\n * two words.\n */\nlet a = 1; // One\n// and two.\n';
  expect(proseOf(block)).toEqual([
    [1, 'The two words.'],
    [5, 'One and two.'],
  ]);
});

it('the prose check finds titles and messages, but no text without a space', () => {
  const titles = `it('rejects a request', () => { throw new Error(\`no \${name} here\`); });\nkey('limit');`;
  expect(proseOf(titles).map(([, text]) => text)).toEqual(['rejects a request', 'no', 'here']);
});

it('the prose check finds only the comments of SQL and Lua in a string', () => {
  const script = "const lua = `\n-- Grants it.\nlocal name = 'a b'\n-- Ends\n-- here.\n`;\n";
  expect(proseOf(script)).toEqual([
    [2, 'Grants it.'],
    [4, 'Ends here.'],
  ]);
});

it('the prose check finds no comment inside a string or a regular expression', () => {
  expect(proseOf("const url = 'https://a'; const re = /\\/\\/ b/; // c d")).toEqual([[1, 'c d']]);
});
