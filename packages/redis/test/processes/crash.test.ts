import { type RedisServer, startRedis } from '@headgate/test-servers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Limited, useCrew } from './crew.ts';

const crew = useCrew();
const lease = 900;
let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

function start(count: number, options: { limit: number; lease?: number }) {
  return crew.start(count, redis, { lease, ...options }) as Promise<
    [Limited, Limited, Limited, Limited]
  >;
}

/** All of a limit can be had, and no more than that. */
async function expectWhole(one: Limited, limit: number) {
  const all = await Promise.all(Array.from({ length: limit }, () => one.acquire()));
  await expect(one.acquire({ queueTimeout: 20 })).rejects.toMatchObject({ reason: 'timeout' });
  for (const held of all) await held.release();
}

test('R4: what a killed process held is back within its lease, and not before', async () => {
  const [one, two] = await start(2, { limit: 1 });
  await one.acquire();
  const waiting = await two.wait();
  const killed = performance.now();
  await one.worker.kill();
  await waiting.held;
  const took = performance.now() - killed;
  // Renewed at a third of the lease at the latest.
  expect(took).toBeGreaterThan(0.5 * lease);
  expect(took).toBeLessThan(lease + 1_000);
  await two.saw('reclaimed');
  expect(two.of('reclaimed')).toMatchObject([{ count: 1 }]);
});

test('R2: killed at whatever step, a process loses no permit', async () => {
  const limit = 3;
  const [survivor] = await crew.start(1, redis, { limit, lease, name: 'any step' });
  for (let round = 0; round < 6; round++) {
    const [victim] = await crew.start(1, redis, { limit, lease, name: 'any step' });
    const work = victim?.do('work', 12, 1_000).catch(() => {});
    const own = survivor?.do('work', 6, 10);
    await vi.waitFor(
      async () => expect((await survivor?.do('stored'))?.queued).toBeGreaterThan(0),
      5_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 7 * round));
    await victim?.worker.kill();
    await work;
    expect(await own).toBeLessThanOrEqual(limit);
  }
  await expectWhole(survivor as Limited, limit);
  // Seven processes begin, one after the other.
}, 90_000);

test('a killed waiter does not hold up those behind it, and nor do many', async () => {
  const [one, two, three] = await start(3, { limit: 1 });
  const held = await one.acquire();
  for (let i = 0; i < 5; i++) await two.wait();
  const waiting = await three.wait();
  await two.worker.kill();
  // Their places are given up when they have not been renewed for a lease.
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ queued: 1 }),
    lease + 5_000,
  );
  await held.release();
  expect((await waiting.held).fencing).toBeGreaterThan(held.fencing as bigint);
});

test('the dead in line cost their heir one lease, not one each', async () => {
  const [one, two, three] = await start(3, { limit: 1 });
  const held = await one.acquire();
  for (let i = 0; i < 5; i++) await two.wait();
  const waiting = await three.wait();
  await two.worker.kill();
  const killed = performance.now();
  await held.release();
  await waiting.held;
  expect(performance.now() - killed).toBeLessThan(2 * lease + 500);
});

test('R9: a permit that was given to a frozen waiter is back within its lease', async () => {
  const [one, two, three] = await start(3, { limit: 1 });
  const held = await one.acquire();
  await two.wait();
  const waiting = await three.wait();
  two.worker.freeze();
  await held.release();
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 1 }),
    5_000,
  );
  await two.worker.kill();
  await waiting.held;
  expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 0 });
});

test('R9: a waiter that was frozen for longer than its lease is still served when it is back', async () => {
  const [one, two, three] = await start(3, { limit: 1 });
  const held = await one.acquire();
  const frozen = await two.wait();
  const waiting = await three.wait();
  two.worker.freeze();
  await held.release();
  const next = await waiting.held;
  two.worker.thaw();
  await vi.waitFor(
    async () => expect(await one.do('stored')).toMatchObject({ inflight: 1, queued: 1 }),
    5_000,
  );
  await next.release();
  const last = await frozen.held;
  expect(last.fencing).toBeGreaterThan(next.fencing as bigint);
  expect(await last.isAborted()).toBe(false);
});

test('R18: a frozen holder learns that its lease is lost, and its token is the lower one', async () => {
  const [one, two] = await start(2, { limit: 1 });
  const stale = await one.acquire();
  const waiting = await two.wait();
  one.worker.freeze();
  const next = await waiting.held;
  one.worker.thaw();
  expect(await stale.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  await one.saw('lost');
  expect(await one.do('stats')).toMatchObject({ shared: { lost: 1 } });
  expect(next.fencing).toBeGreaterThan(stale.fencing as bigint);
});

test('R19: the late release of a lost permit lets nobody in beside its successor', async () => {
  const [one, two, three] = await start(3, { limit: 1 });
  const stale = await one.acquire();
  const waiting = await two.wait();
  one.worker.freeze();
  const next = await waiting.held;
  const third = await three.wait();
  one.worker.thaw();
  await stale.release();
  await one.do('ping');
  expect(await one.do('stored')).toMatchObject({ inflight: 1, holders: 1, queued: 1 });
  await next.release();
  expect((await third.held).fencing).toBeGreaterThan(next.fencing as bigint);
  expect(await one.do('stats')).toMatchObject({ inflight: 0 });
});

test('R23: several who find the same dead lease free it once', async () => {
  const [victim, ...others] = await start(4, { limit: 2 });
  await victim.acquire();
  const keeper = others[0];
  const kept = await keeper.acquire();
  const waiting = await Promise.all(others.map((one) => one.wait()));
  await victim.worker.kill();
  const first = await Promise.race(waiting.map((one) => one.held));
  expect(await keeper.do('stored')).toMatchObject({ inflight: 2, queued: 2 });
  const stats = await Promise.all(others.map((one) => one.do('stats')));
  expect(stats.reduce((sum, { shared }) => sum + (shared?.reclaimed ?? 0), 0)).toBe(1);
  expect(await kept.isAborted()).toBe(false);
  await first.release();
});

test('R23: whoever comes reclaims what is dead, where nobody waits', async () => {
  const [one, two] = await start(2, { limit: 1 });
  await one.acquire();
  await one.worker.kill();
  await vi.waitFor(
    async () => expect(await two.do('stored')).toMatchObject({ inflight: 0 }),
    lease + 5_000,
  );
  const held = await two.acquire();
  expect(held.waited).toBeLessThan(lease);
});
