import { crashSuite } from '@headgate/test-servers/processes';
import { describe, expect, test, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers(12);
const lease = 1_500;
const { server: redis } = await useServer();

async function start(count: number, options: Parameters<typeof workers.start>[2]) {
  const processes = await workers.start(count, redis, { lease, ...options });
  // On a busy machine, the first call of a process takes longer than a call's timeout.
  for (const one of processes) await vi.waitFor(() => one.do('stored'), 10_000);
  return processes as [RemoteLimiter, RemoteLimiter, RemoteLimiter, RemoteLimiter];
}

// Tests that all stores have in common.
describe.concurrent('processes that crash', () => {
  crashSuite({
    start,
    lease: 1_200,
    back: 1_200 + 1_000,
  });
});

test.concurrent("a killed process's permits become available at the end of its lease, and not before", async () => {
  const [one, two] = await start(2, { limit: 1 });
  await one.acquire();
  const waiting = await two.wait();
  const killed = performance.now();
  await one.worker.kill();
  await waiting.held;
  const took = performance.now() - killed;
  // Renewed after a third of the lease at the latest.
  expect(took).toBeGreaterThan(0.5 * lease);
  expect(took).toBeLessThan(lease + 1_000);
  await two.saw('reclaimed');
  expect(two.of('reclaimed')).toMatchObject([{ count: 1 }]);
});

test.concurrent('dead waiters, however many, delay the next waiter by one lease in total', async () => {
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

test.concurrent('a waiter that was frozen for longer than its lease is served when it continues', async () => {
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

test.concurrent('processes that find the same expired lease count it once', async () => {
  const [victim, ...others] = await start(4, { limit: 2 });
  await victim.acquire();
  const keeper = others[0];
  const kept = await keeper.acquire();
  const waiting = await Promise.all(others.map((one) => one.wait()));
  await victim.worker.kill();
  const first = await Promise.race(waiting.map((one) => one.held));
  expect(await keeper.do('stored')).toMatchObject({ inflight: 2, queued: 2 });
  const stats = await Promise.all(others.map((one) => one.do('stats')));
  expect(stats.reduce((sum, { distributed: shared }) => sum + (shared?.reclaimed ?? 0), 0)).toBe(1);
  expect(await kept.isAborted()).toBe(false);
  await first.release();
});

test.concurrent('without waiters, the next operation reclaims expired leases', async () => {
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
