import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { useService } from '../service.ts';
import { type Limited, semaphores, useCrew } from './crew.ts';

const crew = useCrew();
const service = await useService(semaphores);

function start(count: number, options: Parameters<typeof crew.start>[2]) {
  return crew.start(count, service, options) as Promise<[Limited, Limited, Limited]>;
}

test('never more than the limit are at work over all processes', async () => {
  const processes = await start(3, { limit: 1 });
  const most = await Promise.all(processes.map((one) => one.do('work', 4, 10)));
  expect(most).toEqual([1, 1, 1]);
  for (const one of processes) {
    expect(await one.do('stats')).toMatchObject({ inflight: 0, queued: 0, shared: { lost: 0 } });
  }
  const stored = async () => (await processes[0].do('stored')).inflight;
  await vi.waitFor(async () => expect(await stored()).toBe(0));
});

test('who waits is let in by arrival, across processes', async () => {
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

test('what a killed process held is back within its lease', async () => {
  const [one, two] = await start(2, { limit: 2, lease: 1_200 });
  await one.acquire({ weight: 2 });
  const waiting = [await two.wait(), await two.wait()];
  await one.worker.kill();
  const killed = performance.now();
  for (const { held } of waiting) await held;
  expect(performance.now() - killed).toBeLessThan(1_200 + 1_000);
});

test('a killed waiter does not hold up those behind it for longer than its lease', async () => {
  const [one, two, three] = await start(3, { limit: 1, lease: 1_200 });
  const held = await one.acquire();
  for (let i = 0; i < 5; i++) await two.wait();
  const waiting = await three.wait();
  await two.worker.kill();
  await held.release();
  const released = performance.now();
  await waiting.held;
  expect(performance.now() - released).toBeLessThan(1_200 + 1_000);
});

test('killed at whatever step, a process loses no permit', async () => {
  const options = { limit: 3, lease: 1_200, name: `3 of test 20` } as const;
  const [survivor] = await start(1, options);
  for (let round = 0; round < 5; round++) {
    const [victim] = await start(1, options);
    const work = victim.do('work', 12, 1_000).catch(() => {});
    const own = survivor.do('work', 6, 10);
    await sleep(7 * round);
    await victim.worker.kill();
    await work;
    expect(await own).toBeLessThanOrEqual(3);
  }
  const all = await Promise.all([survivor.acquire(), survivor.acquire(), survivor.acquire()]);
  await expect(survivor.acquire({ queueTimeout: 200 })).rejects.toMatchObject({
    reason: 'timeout',
  });
  for (const held of all) await held.release();
});

test('what a frozen process holds is back within its lease, and it learns so', async () => {
  const [one, two] = await start(2, { limit: 1, lease: 900 });
  const stale = await one.acquire();
  const waiting = await two.wait();
  one.worker.freeze();
  const frozen = performance.now();
  const next = await waiting.held;
  expect(performance.now() - frozen).toBeLessThan(900 + 1_000);
  one.worker.thaw();
  expect(await stale.aborted()).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
  await one.saw('lost');
  await stale.release();
  expect(await two.do('stored')).toMatchObject({ inflight: 1 });
  await next.release();
});

test('a frozen waiter that was let in gives way within its lease', async () => {
  const [one, two, three] = await start(3, { limit: 1, lease: 900 });
  const held = await one.acquire();
  await two.wait();
  const waiting = await three.wait();
  two.worker.freeze();
  await held.release();
  const released = performance.now();
  await waiting.held;
  expect(performance.now() - released).toBeLessThan(900 + 1_000);
});

test('work of three times its lease keeps its permit', async () => {
  const [one, two] = await start(2, { limit: 1, lease: 900 });
  const held = await one.acquire();
  const waiting = await two.wait();
  await sleep(2_700);
  expect(await held.isAborted()).toBe(false);
  expect(one.of('lost')).toEqual([]);
  await held.release();
  await waiting.held;
});

test('a lock of a killed client is back within its lease; a frozen one learns that it is lost', async () => {
  const [one, two, three] = await start(3, { limit: 2, lease: 900 });
  await one.do('lock', '1 of test 19');
  const next = two.do('lock', '1 of test 19');
  await sleep(50);
  await one.worker.kill();
  await next;
  two.worker.freeze();
  await three.do('lock', '1 of test 19');
  two.worker.thaw();
  const reason = () => two.do('isLost', '1 of test 19');
  await vi.waitFor(async () => expect(await reason()).toBe('ERR_HEADGATE_LEASE_LOST'), 5_000);
  await two.do('unlock', '1 of test 19');
  expect(await three.do('isLost', '1 of test 19')).toBeUndefined();
  await three.do('unlock', '1 of test 19');
});
