import { setTimeout as sleep } from 'node:timers/promises';
import { crashSuite } from '@headgate/test-servers/processes';
import { describe, expect, test, vi } from 'vitest';
import { useService } from '../service.ts';
import { most, nameOf, type RemoteLimiter, semaphores, useWorkers } from './workers.ts';

const workers = useWorkers(12);
/** The lease in milliseconds. A call may take a third of it. */
const lease = 2_400;
const service = await useService(semaphores);

function start(count: number, options: Parameters<typeof workers.start>[2]) {
  return workers.start(count, service, options) as Promise<
    [RemoteLimiter, RemoteLimiter, RemoteLimiter]
  >;
}

describe.concurrent('processes that crash', () => {
  crashSuite({
    start: async (count, { name, ...options }) => {
      const { limit } = options as { limit: 1 | 2 | 3 };
      // Limiters that share a name use the last configured limit, which no other test uses.
      const named = name === undefined ? {} : { name: nameOf(limit, most) };
      const processes = await workers.start(count, service, { ...options, ...named, limit });
      // On a busy machine, the first call of a process takes longer than a call's timeout.
      for (const one of processes) await vi.waitFor(() => one.do('stored'), 5_000);
      return processes;
    },
    lease,
    back: lease + 1_000,
    hasTokens: false,
  });
});

test.concurrent('callers of all processes together never exceed the limit', async () => {
  const processes = await start(3, { limit: 1 });
  const most = await Promise.all(processes.map((one) => one.do('work', 4, 10)));
  expect(most).toEqual([1, 1, 1]);
  for (const one of processes) {
    expect(await one.do('stats')).toMatchObject({
      inflight: 0,
      queued: 0,
      distributed: { lost: 0 },
    });
  }
  const stored = async () => (await processes[0].do('stored')).inflight;
  await vi.waitFor(async () => expect(await stored()).toBe(0), 10_000);
});

test.concurrent('waiters are granted in order of arrival across processes', async () => {
  const [one, two, three] = await start(3, { limit: 1 });
  const held = await one.acquire();
  const waiting = [];
  for (const process of [two, three, one, two, three]) waiting.push(await process.wait());
  let last = held;
  const times: number[] = [];
  for (const { held: next } of waiting) {
    await last.release();
    last = await next;
    times.push(last.at);
  }
  expect(times).toEqual([...times].sort((early, late) => early - late));
  await last.release();
});

/** A limit of the service that no other test uses. */
const mine = nameOf(1, most - 1);

test.concurrent("a lock of a killed client is released within its lease, and the signal of a frozen client's lock aborts", async () => {
  const [one, two, three] = await start(3, { limit: 2, lease: 900 });
  await one.do('lock', mine);
  const next = two.do('lock', mine);
  await sleep(50);
  await one.worker.kill();
  await next;
  two.worker.freeze();
  await three.do('lock', mine);
  two.worker.thaw();
  const reason = () => two.do('isLost', mine);
  await vi.waitFor(async () => expect(await reason()).toBe('ERR_HEADGATE_LEASE_LOST'), 5_000);
  await two.do('unlock', mine);
  expect(await three.do('isLost', mine)).toBeUndefined();
  await three.do('unlock', mine);
});
