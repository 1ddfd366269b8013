import { createLimiter, type Limiter } from '@headgate/core';
import type { StoreStats } from '@headgate/store-kit';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { Sampler } from '../src/sampler.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A viewed page of limiters, whose stores are asked for their state by `storeStats`. */
function scene(
  limiters: readonly Limiter[],
  storeStats?: (limiter: Limiter) => Promise<StoreStats>,
) {
  const clock = new VirtualClock();
  const asked: string[] = [];
  for (const limiter of limiters) {
    const own = limiter.storeStats?.bind(limiter);
    limiter.storeStats = () => {
      asked.push(limiter.name);
      return storeStats?.(limiter) ?? (own?.() as Promise<StoreStats>);
    };
  }
  const sampler = new Sampler(() => limiters, clock);
  sampler.start();
  const shown = () => sampler.current.limits.map(({ store }) => store?.processes);
  const advance = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      clock.advance(1_000);
      await settled();
    }
  };
  return { asked, sampler, shown, advance };
}

function distributed(name: string, memory = new Memory()) {
  return createLimiter({ name, limit: 4, store: memoryStore({ memory }) });
}

it('the dashboard shows how many processes hold or await permits of a distributed limit, five seconds old at most', async () => {
  const memory = new Memory();
  const [here, there] = [distributed('search', memory), distributed('search', memory)];
  const local = createLimiter({ name: 'local', limit: 1 });
  const held = [await here.acquire(), await there.acquire()];
  const { asked, sampler, shown, advance } = scene([here]);
  const rows = new Sampler(() => [local], new VirtualClock());
  expect(rows.current.limits[0]?.store).toBeUndefined();
  const leave = sampler.watch(() => {});
  await advance(2);
  expect([shown(), asked]).toEqual([[2], ['search']]);
  for (const permit of held) permit.release();
  await advance(5);
  expect([shown(), asked.length]).toEqual([[0], 2]);
  leave();
  await advance(60);
  expect(asked).toHaveLength(2);
  for (const limiter of [here, there]) await limiter.close();
});

it('the dashboard neither waits for a store nor fails with it', async () => {
  const limiters = ['slow', 'failing', 'odd', 'fine'].map((name) => distributed(name));
  const stats = { limit: 1, version: '', inflight: 0, holders: 0, queued: 0, longestWait: 0 };
  const { asked, sampler, shown, advance } = scene(limiters, ({ name }) => {
    if (name === 'slow') return new Promise(() => {});
    if (name === 'failing') return Promise.reject(new Error('down'));
    if (name === 'odd') throw new Error('at once');
    return Promise.resolve({ ...stats, processes: 3 });
  });
  sampler.watch(() => {});
  await advance(2);
  expect(shown()).toEqual([undefined, undefined, undefined, 3]);
  await advance(60);
  // A store that has not answered is not asked again.
  expect(asked.filter((name) => name === 'slow')).toHaveLength(1);
  expect(asked.filter((name) => name === 'failing').length).toBeGreaterThan(10);
  expect(shown()).toEqual([undefined, undefined, undefined, 3]);
  for (const limiter of limiters) await limiter.close();
});

it('the dashboard queries ten limits per second in turn, but none that is keyed or closed', async () => {
  const limiters = Array.from({ length: 25 }, (_, i) => distributed(`limit ${i}`));
  const keyed = createLimiter({ name: 'keyed', limit: 1, perKey: true, store: memoryStore() });
  const closed = distributed('closed');
  await closed.close();
  const { asked, sampler, advance } = scene([keyed, closed, ...limiters]);
  sampler.watch(() => {});
  await advance(1);
  expect(asked).toHaveLength(10);
  await advance(2);
  expect(new Set(asked)).toEqual(new Set(limiters.map(({ name }) => name)));
  expect(asked).toHaveLength(25);
  for (const limiter of [keyed, ...limiters]) await limiter.close();
});
