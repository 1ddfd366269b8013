import { startProxy } from '@headgate/test-servers';
import { countSuite } from '@headgate/test-servers/processes';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useServer } from '../server.ts';
import { type RemoteLimiter, useWorkers } from './workers.ts';

const workers = useWorkers();
const { server: redis, admin } = await useServer();

countSuite({
  start: (count, options) => workers.start(count, redis, options),
  wait: 200,
  within: 5_000,
});

test('if 50 processes start at once on an empty server, the limit is never exceeded', async () => {
  await admin.flushall();
  await admin.script('FLUSH');
  const processes = await workers.start(5, redis, { limit: 3 });
  const waiting = processes.flatMap((one) => Array.from({ length: 10 }, () => one.acquire()));
  for (let served = 0; served < 50; served++) {
    const [held, index] = await Promise.race(
      waiting.map((one, i) => one.then((permit) => [permit, i] as const)),
    );
    const { inflight, queued } = await (processes[0] as RemoteLimiter).do('stored');
    expect(inflight).toBeLessThanOrEqual(3);
    expect(inflight + queued).toBeLessThanOrEqual(50);
    waiting.splice(index, 1);
    await held.release();
  }
});

test('a process that starts while all permits are held admits no additional caller', async () => {
  const options = { limit: 2, name: 'taken', queueLimit: 0 };
  const [one] = (await workers.start(1, redis, options)) as [RemoteLimiter];
  const held = [await one.acquire(), await one.acquire()];
  const [late] = (await workers.start(1, redis, options)) as [RemoteLimiter];
  await expect(late.acquire()).rejects.toMatchObject({ reason: 'full' });
  await held[0]?.release();
  await vi.waitFor(() => late.acquire(), 5_000);
  await expect(one.acquire()).rejects.toMatchObject({ reason: 'full' });
});

test('the later of two declarations of a limit applies, and the conflict is reported once', async () => {
  const [old] = (await workers.start(1, redis, { limit: 1, name: 'two limits' })) as [
    RemoteLimiter,
  ];
  const held = await old.acquire();
  const [young] = (await workers.start(1, redis, { limit: 3, name: 'two limits' })) as [
    RemoteLimiter,
  ];
  const more = [await young.acquire(), await young.acquire()];
  await held.release();
  for (let i = 0; i < 3; i++) await (await old.acquire()).release();
  await old.saw('conflict');
  expect(old.of('conflict')).toMatchObject([{ declared: 1, limit: 3 }]);
  expect(young.of('conflict')).toEqual([]);
  expect(await old.do('stats')).toMatchObject({ limit: 3, distributed: { declared: 1 } });
  expect(await young.do('stats')).toMatchObject({ limit: 3, distributed: { declared: 3 } });
  for (const permit of more) await permit.release();
});

test('only scripts and the subscription are sent, so that the app can also use the client', async () => {
  const monitor = await admin.monitor();
  onTestFinished(() => monitor.disconnect());
  const seen = new Set<string>();
  monitor.on('monitor', (_, [command = '']: string[], source: string) => {
    if (source !== 'lua') seen.add(command.toLowerCase());
  });
  const [one, two] = (await workers.start(2, redis, { limit: 1 })) as [
    RemoteLimiter,
    RemoteLimiter,
  ];
  const held = await one.acquire();
  const waiting = await two.wait();
  await one.do('setLimit', 2);
  await (await waiting.held).release();
  await held.release();
  await one.do('stored');
  await vi.waitFor(() => expect(seen).toContain('evalsha'), 5_000);
  const ofTheClient = ['client', 'hello', 'info', 'select'];
  expect([...seen].filter((command) => !ofTheClient.includes(command)).sort()).toEqual(
    expect.arrayContaining(['evalsha', 'subscribe']),
  );
  for (const command of seen) {
    expect([...ofTheClient, 'eval', 'evalsha', 'subscribe']).toContain(command);
  }
});

test('no process waits for another process to create the limit', async () => {
  await admin.flushall();
  await admin.script('FLUSH');
  const proxy = await startProxy(redis);
  onTestFinished(() => proxy.stop());
  const options = { limit: 1, name: 'set up', timeout: 3_000 };
  const [stuck] = (await workers.start(1, proxy, options)) as [RemoteLimiter];
  const [free] = (await workers.start(1, redis, options)) as [RemoteLimiter];
  proxy.hold(true);
  const late = stuck.acquire();
  const held = await free.acquire();
  await held.release();
  proxy.hold(false);
  await (await late).release();
});
