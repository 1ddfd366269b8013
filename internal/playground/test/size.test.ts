import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { buildPage } from './built-page.ts';

it('the playground has at most 60 kB, compressed, with the simulator and the limiter', async () => {
  const files = [...(await buildPage())];
  const sizes = files.map(([, text]) => gzipSync(text).length);
  expect(files.map(([name]) => name)).toContainEqual(expect.stringMatching(/\.js$/));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(60_000);
});
