import { expect, test, vi } from 'vitest';
import { useService } from '../service.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const service = await useService({ lock: 1 });

async function start(count: number, options: Parameters<typeof workers.start>[2]) {
  const processes = await workers.start(count, service, options);
  // On a busy machine, the first call of a process takes longer than a call's timeout.
  for (const one of processes) await vi.waitFor(() => one.do('stored'), 10_000);
  return processes as [RemoteLimiter, RemoteLimiter, RemoteLimiter];
}

async function stands(one: RemoteLimiter, inflight: number, queued: number): Promise<void> {
  const look = async () => expect(await one.do('stored')).toMatchObject({ inflight, queued });
  await vi.waitFor(look, { timeout: 15_000, interval: 20 });
}

test('a restarted service gets holders and waiters from its clients, and grants nothing beyond the limit', async () => {
  const [one, two] = await start(2, { limit: 2, lease: 9_000, onStoreError: 'local' });
  const held = await one.acquire({ weight: 2 });
  const waiting = [await one.wait(), await one.wait({ weight: 2 })];
  await service.restart();
  await stands(two, 2, 2);
  expect(await held.isAborted()).toBe(false);
  const newcomer = await two.wait();
  await held.release();
  // They may have rejoined the queue in any order.
  const turns = [...waiting, newcomer].map(async ({ held: next }) => (await next).release());
  await Promise.all(turns);
  await stands(one, 0, 0);
  for (const process of [one, two]) expect(process.of('lost')).toEqual([]);
});

test('a lock is restored after a restart', async () => {
  const [one] = await start(1, { limit: 1, lease: 9_000 });
  await one.do('lock', 'lock');
  await service.restart();
  const taken = async () => {
    const answer = await fetch(`${service.url}/remainder?semaphore=lock`);
    expect(await answer.text()).toBe('0');
  };
  await vi.waitFor(taken, 10_000);
  expect(await one.do('isLost', 'lock')).toBeUndefined();
  await one.do('unlock', 'lock');
});

test('while the service is unavailable, each process follows its policy, and uses the service again when it is back', async () => {
  const [rejects] = await start(1, { limit: 1, lease: 9_000 });
  const [goesOn] = await start(1, { limit: 1, lease: 9_000, onStoreError: 'local' });
  const held = await goesOn.acquire();
  await (await rejects.acquire()).release();
  await service.kill();
  await expect(rejects.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
  await expect(goesOn.acquire({ queueTimeout: 100 })).rejects.toMatchObject({ reason: 'timeout' });
  await held.release();
  const local = await goesOn.acquire();
  await service.launch();
  await stands(goesOn, 1, 0);
  await vi.waitFor(async () => (await rejects.acquire()).release(), 10_000);
  await local.release();
  await stands(goesOn, 0, 0);
});

test("a frozen service delays no caller for longer than a call's timeout, and recovers", async () => {
  const [one, two] = await start(2, { limit: 1, lease: 9_000, timeout: 500 });
  const held = await one.acquire();
  const waiting = await two.wait();
  // Whether it notices the outage depends on whether it sends a request meanwhile.
  const next = waiting.held.then(
    (permit) => permit.release(),
    ({ code }) => expect(code).toBe('ERR_HEADGATE_STORE_TIMEOUT'),
  );
  service.freeze();
  const asked = performance.now();
  await expect(one.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
  expect(performance.now() - asked).toBeLessThan(2_500);
  service.thaw();
  await held.release();
  await next;
  await vi.waitFor(async () => (await one.acquire()).release(), 10_000);
});

test('a service that is frozen for longer than a lease never lets two holders work at once', async () => {
  const [one, two] = await start(2, { limit: 1, lease: 1_800 });
  const held = await one.acquire();
  service.freeze();
  expect(await held.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  service.thaw();
  const next = await vi.waitFor(() => two.acquire(), 10_000);
  await held.release();
  expect(await two.do('stored')).toMatchObject({ inflight: 1 });
  await next.release();
});
