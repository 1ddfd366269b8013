import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { read, root } from './pages.ts';

it('the index of the decisions lists every decision and no other', () => {
  const pages = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name));
  const rows = read('docs/decisions/README.md').matchAll(/^\| \[(\d{4})\]\((.+?)\) \|/gm);
  const listed = [...rows].map(([, number = '', file = '']) => ({ number, file }));
  expect(listed).toEqual(pages.sort().map((file) => ({ number: file.slice(0, 4), file })));
});
