import { type RedisServer, startRedis } from '@headgate/test-servers';
import { crashSuite } from '@headgate/test-servers/processes';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Limited, useCrew } from './crew.ts';

const crew = useCrew(12);
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

// Of Redis's list: R2, R4, R9, R18 and R19.
describe.concurrent('processes that crash', () => {
  crashSuite({
    start: (count, options) => crew.start(count, redis, options),
    lease: 1_200,
    back: 1_200 + 1_000,
    hasTokens: true,
  });
});

test.concurrent('R4: what a killed process held is back within its lease, and not before', async () => {
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

test.concurrent('the dead in line cost their heir one lease, not one each', async () => {
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

test.concurrent('R9: a waiter that was frozen for longer than its lease is still served when it is back', async () => {
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

test.concurrent('R23: several who find the same dead lease free it once', async () => {
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

test.concurrent('R23: whoever comes reclaims what is dead, where nobody waits', async () => {
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
