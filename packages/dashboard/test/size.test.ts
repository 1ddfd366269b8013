import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readFiles } from '../src/files.ts';

it('the page has at most 25 kB, compressed', () => {
  const sizes = [...readFiles().values()].map(({ text }) => gzipSync(text).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(25_000);
});
