import { startProxy } from '@headgate/test-servers';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { libraries } from './clients.ts';
import { Participant } from './participant.ts';
import { useServer } from './server.ts';

interface ParticipantOptions {
  readonly port?: number;
  readonly leaseDuration?: number;
  readonly timeout?: number;
}

const { server: redis, admin } = await useServer();
let name: string;
let count = 0;
beforeEach(() => {
  name = `limit ${++count}`;
});

describe.each(libraries)('$name', ({ connect }) => {
  function participant({ port = redis.port, ...options }: ParticipantOptions = {}): Participant {
    const made = new Participant(connect(port), options);
    onTestFinished(() => made.end());
    return made;
  }

  async function proxy() {
    const made = await startProxy(redis);
    onTestFinished(() => made.stop());
    return made;
  }

  test('a release grants the permit to the head of the queue, in another process', async () => {
    const [one, two] = [participant(), participant()];
    await two.listening();
    const [a, b, c] = [one.id(), two.id(), one.id()];
    const first = await one.do('acquire', { name, id: a, wait: 5_000 });
    expect(first).toMatchObject({ state: 'held', inflight: 1, queued: 0, limit: 1 });
    const second = await two.do('acquire', { name, id: b, wait: 5_000 });
    expect(second).toMatchObject({ state: 'queued', inflight: 1, queued: 1 });
    const third = await one.do('acquire', { name, id: c, wait: 5_000 });
    expect(String(third.place) > String(second.place)).toBe(true);
    expect(await one.do('release', { name, id: a })).toMatchObject({ state: 'ok', queued: 1 });
    const grant = await two.granted(b);
    expect(grant.fencing).toBeGreaterThan(first.fencing as bigint);
    await two.do('release', { name, id: b });
    expect((await one.granted(c)).fencing).toBeGreaterThan(grant.fencing as bigint);
  });

  test('a waiter keeps its queue position when its connection is lost and its request is sent again', async () => {
    const way = await proxy();
    const [one, two] = [participant(), participant({ port: way.port })];
    await two.listening();
    const [a, b, c] = [one.id(), two.id(), one.id()];
    await one.do('acquire', { name, id: a });
    const { place } = await two.do('acquire', { name, id: b, wait: 9_000 });
    await one.do('acquire', { name, id: c, wait: 9_000 });
    const { checks } = two;
    way.cut();
    // A call on the broken connection may fail.
    const stayed = await vi.waitFor(
      () => two.do('stay', { name, id: b, wait: 9_000, place }),
      5_000,
    );
    expect(stayed).toMatchObject({ state: 'queued', place });
    await vi.waitFor(() => expect(two.checks).toBeGreaterThan(checks), 5_000);
    await one.do('release', { name, id: a });
    await two.granted(b);
    expect(two.states.map(({ up }) => up)).toEqual([false, true]);
  });

  test('a subscriber reconnects after the server has closed its connection, and waiters repeat their requests', async () => {
    const one = participant();
    await one.listening();
    const { checks } = one;
    await admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await vi.waitFor(() => expect(one.checks).toBeGreaterThan(checks), 5_000);
    expect(one.states).toEqual([]);
  });

  test('scripts are sent again after the server has lost them', async () => {
    const one = participant();
    const id = one.id();
    await one.do('acquire', { name, id });
    await admin.script('FLUSH');
    expect((await one.do('renew', { name, id, fencing: 1n })).state).toBe('held');
    await admin.script('FLUSH');
    const [same, other] = [one.op('release', { name, id }), one.op('acquire', { name, limit: 1 })];
    const answers = await one.store.send([same, other], 5_000);
    expect(answers).toMatchObject([{ state: 'ok' }, { state: 'held' }]);
  });

  test('a server that is down at the start is used once it is up', async () => {
    const way = await proxy();
    way.refuse(true);
    const one = participant({ port: way.port });
    const error = await one.fails('acquire', { name }, 100);
    expect(error.code).toBe('ERR_HEADGATE_STORE_DOWN');
    expect(error.message).not.toContain(name);
    way.refuse(false);
    expect((await one.do('acquire', { name })).state).toBe('held');
    // The failed call has not been executed since.
    expect((await one.store.stats({ name })).holders).toBe(1);
  });

  test('a server that hangs delays no call for longer than its timeout', async () => {
    const way = await proxy();
    const one = participant({ port: way.port, leaseDuration: 900, timeout: 300 });
    await one.do('acquire', { name, limit: 9 });
    way.hold(true);
    const error = await one.fails('acquire', { name, limit: 9 }, 50);
    expect(error.code).toBe('ERR_HEADGATE_STORE_TIMEOUT');
    await expect(one.store.stats({ name })).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_TIMEOUT',
    });
    way.hold(false);
    expect((await one.do('acquire', { name, limit: 9 })).state).toBe('held');
  });

  test('calls fail immediately if the app has closed the client, or if the store is closed', async () => {
    const one = participant();
    await one.listening();
    await one.app.close();
    expect((await one.fails('acquire', { name })).code).toBe('ERR_HEADGATE_STORE_DOWN');
    await one.store.close();
    expect((await one.fails('acquire', { name })).code).toBe('ERR_HEADGATE_STORE_DOWN');
    await expect(one.store.stats({ name })).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_DOWN',
    });
  });

  test('a process uses two connections for any number of waiters, and the client serves other commands', async () => {
    const way = await proxy();
    const one = participant({ port: way.port });
    await one.listening();
    const ops = Array.from({ length: 501 }, () => one.op('acquire', { name, wait: 9_000 }));
    const before = way.commands;
    await Promise.all(ops.map((op) => one.store.send([op], 5_000)));
    expect(way.commands - before).toBe(501);
    expect(way.connections).toBe(2);
    const batch = ops.map(
      ({ verb, ...op }) => ({ ...op, verb: 'stay' }) as typeof op & { verb: 'stay' },
    );
    const until = way.commands;
    await one.store.send(batch as typeof ops, 5_000);
    // Of at most 500 operations each.
    expect(way.commands - until).toBe(2);
  });
});
