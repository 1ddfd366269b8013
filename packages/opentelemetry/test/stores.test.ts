import { createLimiter } from '@headgate/core';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { expect, it } from 'vitest';
import { instrument } from '../src/index.ts';
import { metered } from './sdk.ts';

it('a store can be removed and added again while a limit that uses it stays', async () => {
  const { meter, exported } = metered();
  const names = async () => (await exported()).map(({ name }) => name);
  const store = memoryStore();
  const remove = instrument(store, { meter });
  instrument(createLimiter({ name: 'app', limit: 1, store }), { meter });
  expect(() => instrument([store], { meter })).toThrow('add it once');
  remove();
  expect(await names()).not.toContain('headgate.store.calls');
  instrument(store, { meter });
  remove();
  expect(await names()).toEqual(expect.arrayContaining(['headgate.store.calls', 'headgate.limit']));
});
