import { expect, it } from 'vitest';
import { pathOf } from '../src/http/route.ts';

it.each([
  ['/reports?of=1#top', '/reports'],
  ['/a/../b', '/a/../b'],
  ['http://example.com/reports?of=1', '/reports'],
  ['http://example.com', '/'],
  ['HTTP://example.com?of=1', '/'],
  ['?of=1', '/'],
  ['*', '*'],
])('the path of the request target %s is %s', (target, path) => {
  expect(pathOf(target)).toBe(path);
});
