import { expect, test } from 'vitest';
import { outcome, scene, settled, timeout } from './world.ts';

/** A process that has set a limit, which the store has refused, and another process. */
async function refusedLimit() {
  const all = scene({ limit: 2 });
  const other = all.world.limiter({ limit: 2, observer: { conflict: () => {} } });
  (await other.acquire()).release();
  all.store.trouble = 'refused';
  all.limiter.setLimit(5);
  return { ...all, other };
}

test('a limit that the store has refused is set again only after an outage, not during it', async () => {
  const { world, store, limiter, other } = await refusedLimit();
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

test('a change that the store refuses is sent again even without a request', async () => {
  const { world, store, limiter, other } = await refusedLimit();
  limiter.pause();
  await world.advance(3 * timeout);
  expect(limiter.stats().distributed?.up).toBe(true);
  store.trouble = undefined;
  await world.advance(3 * timeout);
  const waiting = outcome(other.acquire());
  await settled();
  expect([other.state, other.limit, waiting]).toEqual(['paused', 5, {}]);
});

test('a closed limiter does not repeat a change that the store has refused', async () => {
  const { world, store, limiter } = scene();
  store.trouble = 'refused';
  limiter.pause();
  await settled();
  await limiter.close();
  const calls = store.calls.length;
  await world.advance(5 * timeout);
  expect(store.calls).toHaveLength(calls);
});
