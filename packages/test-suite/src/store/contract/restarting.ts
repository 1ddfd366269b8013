import { createLimiter } from '@headgate/core';
import { expect, it } from 'vitest';
import { until } from '../../kit/until.ts';
import type { StoreWorld } from '../store-world.ts';

/** Milliseconds for which the store cannot be reached: less than the timeout of its calls. */
const AWAY = 300;

export function restarting(world: StoreWorld): void {
  it('a store that is away for less than its timeout rejects no waiter and no new caller', async () => {
    const { store } = await world.process();
    const name = world.name();
    const reported: unknown[] = [];
    const limiter = createLimiter({ name, limit: 2, queueLimit: 100, queueTimeout: 20_000, store });
    limiter.observe({ store: (event) => void reported.push(event) });
    const held = [await limiter.acquire(), await limiter.acquire()];
    const all = Array.from({ length: 10 }, () => limiter.acquire());
    await until(() => limiter.stats().distributed?.queued === 10, 'the waiters are not queued');
    const end = (await world.driver.refuse?.()) ?? (() => {});
    for (let i = 0; i < 3; i++) all.push(limiter.acquire());
    for (const permit of held) permit.release();
    const served = Promise.all(all.map(async (next) => (await next).release()));
    await new Promise((resolve) => setTimeout(resolve, AWAY));
    end();
    await served;
    expect(reported).toEqual([]);
    expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
    await limiter.close();
  });
}
