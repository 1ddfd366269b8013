import { setTimeout as sleep } from 'node:timers/promises';
import { crashSuite } from '@headgate/test-servers/processes';
import { describe, expect, test, vi } from 'vitest';
import { useService } from '../service.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers(12);
/** The lease in milliseconds. A call may take a third of it. */
const lease = 2_400;
const service = await useService({ lock: 1 });

async function start(count: number, options: Parameters<typeof workers.start>[2]) {
  const processes = await workers.start(count, service, options);
  // On a busy machine, the first call of a process takes longer than a call's timeout.
  for (const one of processes) await vi.waitFor(() => one.do('stored'), 10_000);
  return processes as [RemoteLimiter, RemoteLimiter, RemoteLimiter];
}

describe.concurrent('processes that crash', () => {
  crashSuite({
    start,
    lease,
    back: lease + 1_000,
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

test.concurrent("a lock of a killed client is released within its lease, and the signal of a frozen client's lock aborts", async () => {
  const [one, two, three] = await start(3, { limit: 2, lease: 900 });
  await one.do('lock', 'lock');
  const next = two.do('lock', 'lock');
  await sleep(50);
  await one.worker.kill();
  await next;
  two.worker.freeze();
  await three.do('lock', 'lock');
  two.worker.thaw();
  const reason = () => two.do('isLost', 'lock');
  await vi.waitFor(async () => expect(await reason()).toBe('ERR_HEADGATE_LEASE_LOST'), 5_000);
  await two.do('unlock', 'lock');
  expect(await three.do('isLost', 'lock')).toBeUndefined();
  await three.do('unlock', 'lock');
});
