import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import { dashboard } from '../src/node.ts';

it.each([
  ['a store', [memoryStore()]],
  ['an object without limiters', [{ stats: () => ({}), observe: () => () => {} }]],
  ['null', [null]],
])('refuses %s as a limit', (_, limits) => {
  const error = { code: 'ERR_HEADGATE_OPTION', option: 'limits[0]' };
  expect(() => dashboard({ path: '/limits', limits: limits as never })).toThrow(
    expect.objectContaining(error),
  );
});
