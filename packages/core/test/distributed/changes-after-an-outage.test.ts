import { expect, test } from 'vitest';
import { outcome, scene, settled, timeout } from './world.ts';

test('a limit that the store has refused is not set again in an outage, but after it', async () => {
  const observer = { conflict: () => {} };
  const { world, store, limiter } = scene({ limit: 2 });
  const other = world.limiter({ limit: 2, observer });
  (await other.acquire()).release();
  store.trouble = 'refused';
  limiter.setLimit(5);
  await settled();
  store.trouble = 'silent';
  store.listener?.state(false);
  await settled();
  expect(limiter.stats().distributed?.up).toBe(false);
  store.calls.length = 0;
  await world.advance(3 * timeout);
  expect(new Set(store.calls.flat())).toEqual(new Set(['stats']));
  store.trouble = undefined;
  await world.advance(2 * timeout);
  (await other.acquire()).release();
  expect(other.limit).toBe(5);
});

test('a limiter that its observer closes at the end of an outage makes no change', async () => {
  const observer = {
    store: ({ up }: { up: boolean }) => {
      if (up) void limiter.close();
    },
  };
  const { world, store, limiter } = scene({ observer });
  store.trouble = 'silent';
  const first = outcome(limiter.acquire());
  await world.advance(timeout);
  expect(first.error).toBeDefined();
  limiter.pause();
  store.trouble = undefined;
  store.calls.length = 0;
  await world.advance(4 * timeout);
  expect(limiter.closed).toBe(true);
  expect(store.calls.flat()).not.toContain('declare');
});
