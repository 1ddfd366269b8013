import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { Redis } from 'ioredis';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { libraries, library } from './clients.ts';
import { Participant } from './participant.ts';
import { useServer } from './server.ts';

const { server: redis, admin } = await useServer();

const forged = [
  '',
  'grant',
  'grant\n',
  'grant\nx',
  'grant\nx\ny',
  'grant\nx\n1.5',
  'recall',
  'recall\n',
  'recall\n{',
  'recall\nnull',
  'recall\n7',
  'recall\n{}',
  'recall\n[]',
  'recall\n[null,{}]',
  'recall\n["__proto__","constructor"]',
  'operated',
  'operated\n{',
  'operated\n["unknown"]',
  '__proto__\nx',
];

describe.each(libraries)('$name', ({ connect }) => {
  test('forged messages have no effect', async () => {
    const one = new Participant(connect(redis.port));
    onTestFinished(() => one.end());
    await one.listening();
    const errors: unknown[] = [];
    const caught = (error: unknown) => errors.push(error);
    process.on('uncaughtException', caught);
    onTestFinished(() => void process.off('uncaughtException', caught));
    for (const message of forged) await admin.publish(`headgate:${one.store.owner}`, message);
    const id = `${one.store.owner}.x`;
    await admin.publish(`headgate:${one.store.owner}`, `grant\n${id}\n5`);
    expect(await one.granted(id)).toEqual({ id, fencing: 5n });
    expect(errors).toEqual([]);
  });

  test('an answer that arrived while the event loop was busy counts as in time', async () => {
    const app = connect(redis.port);
    const one = new Participant(app, { leaseDuration: 1_000, timeout: 300 });
    onTestFinished(() => one.end());
    await one.listening();
    await one.do('release', { name: 'warm' });
    const id = one.id();
    const answer = one.store.send([one.op('acquire', { name: id, id })], 300);
    await new Promise((resolve) =>
      process.nextTick(() => queueMicrotask(() => queueMicrotask(() => resolve(0)))),
    );
    const until = performance.now() + 600;
    while (performance.now() < until);
    expect(await answer).toMatchObject([{ state: 'held' }]);
  });
});

test('a practically infinite limit causes no conflict', async () => {
  const client = new Redis(redis.port);
  const store = redisStore({ client });
  const conflicts: unknown[] = [];
  const limiter = createLimiter({
    name: 'endless',
    limit: Number.MAX_SAFE_INTEGER,
    store,
  });
  limiter.observe({ conflict: (event) => conflicts.push(event) });
  const permit = await limiter.acquire({ weight: Number.MAX_SAFE_INTEGER });
  permit.release();
  await limiter.close();
  await store.close();
  client.disconnect();
  expect(conflicts).toEqual([]);
});

test('a permit with an adjusted weight of any size is released with that weight', async () => {
  const client = new Redis(redis.port);
  const store = redisStore({ client });
  const limiter = createLimiter({ name: 'weights', limit: 5, queueLimit: 5, store });
  const small = [await limiter.acquire(), await limiter.acquire()];
  const permit = await limiter.acquire();
  permit.adjust(Number.MAX_SAFE_INTEGER);
  for (const one of small) one.release();
  permit.release();
  const last = await limiter.acquire();
  expect(await store.stats({ name: 'weights' })).toMatchObject({ inflight: 1 });
  last.release();
  await limiter.close();
  expect(await store.stats({ name: 'weights' })).toMatchObject({ inflight: 0 });
  await store.close();
  client.disconnect();
});

describe('requests that no limiter sends', () => {
  let one: Participant;
  let name: string;
  beforeEach(() => {
    one = new Participant(library('ioredis 6').connect(redis.port));
    onTestFinished(() => one.end());
    name = `odd ${one.store.owner}`;
  });

  test('weights whose sum exceeds the maximum limit are counted exactly', async () => {
    const spec = { name, limit: Number.MAX_SAFE_INTEGER, weight: Number.MAX_SAFE_INTEGER };
    const ids = Array.from({ length: 300 }, () => one.id());
    const all = ids.map((id) => one.op('register', { ...spec, id }));
    await one.store.send(all, 5_000);
    const again = await one.do('renew', { ...spec, id: ids[0] as string, fencing: 1n });
    expect(again.inflight).toBe(300e12);
  });

  test.each(['5', '-1', '1e14', '1e300', 'inf', 'nan', '', 'here'])(
    'a queue position that the store never issued, such as "%s", counts as the end of the queue',
    async (place) => {
      const [holder, first, odd] = [one.id(), one.id(), one.id()];
      await one.do('acquire', { name, id: holder });
      await one.do('acquire', { name, id: first, wait: 9_000 });
      expect(await one.do('stay', { name, id: odd, wait: 9_000, place })).toMatchObject({
        state: 'queued',
        queued: 2,
      });
      expect(await one.do('release', { name, id: holder })).toMatchObject({ inflight: 1 });
      expect(one.grants.map(({ id }) => id)).toEqual([first]);
      await one.do('release', { name, id: first });
      expect(await one.do('release', { name, id: odd })).toMatchObject({ inflight: 0, queued: 0 });
    },
  );

  test('a waiter whose renewal contains a token of a lost state is held once and leaves the queue', async () => {
    const [holder, twice] = [one.id(), one.id()];
    await one.do('acquire', { name, id: holder });
    await one.do('acquire', { name, id: twice, wait: 9_000 });
    const renewed = await one.do('renew', { name, id: twice, fencing: 1n });
    expect(renewed).toMatchObject({ state: 'held', fencing: 1n, inflight: 2, queued: 0 });
    await one.do('release', { name, id: holder });
    expect(await one.do('release', { name, id: twice })).toMatchObject({ inflight: 0, queued: 0 });
    expect(one.grants).toEqual([]);
  });

  test('a lease registered with two weights after a loss is removed completely', async () => {
    const id = one.id();
    const spec = { name, limit: 9, id, fencing: 1n };
    await one.do('renew', { ...spec, weight: 1 });
    // Simulates that its resize was lost.
    await one.do('renew', { ...spec, weight: 2 });
    expect(await one.do('resize', { ...spec, weight: 2 })).toMatchObject({ inflight: 2 });
    expect(await one.do('release', { ...spec, weight: 2 })).toMatchObject({ inflight: 0 });
  });

  test('an id may contain any characters, even if the store searches for it with another weight', async () => {
    const tails = ['*', '?', '[a-z]', '[', '\\', '^', 'a:b', ':', 'é', 'x'.repeat(10_000)];
    const ids = tails.map((tail) => `${one.store.owner}.${tail}`);
    const spec = { name, limit: 2 * ids.length };
    for (const id of ids) await one.do('acquire', { ...spec, id });
    const more = { ...spec, wait: 9_000, queueLimit: 99, weight: 99 };
    for (const id of ids) await one.do('acquire', { ...more, id: `${id}2` });
    for (const id of ids) {
      expect(
        (await one.do('release', { ...spec, id: `${id}2`, weight: 3, resized: true })).state,
      ).toBe('ok');
      expect((await one.do('resize', { ...spec, id, weight: 2 })).state).toBe('held');
      expect((await one.do('release', { ...spec, id, weight: 3, resized: true })).state).toBe('ok');
      expect((await one.do('release', { ...spec, id, weight: 3, resized: true })).state).toBe(
        'lost',
      );
    }
    expect(await one.store.stats({ name })).toMatchObject({ inflight: 0, queued: 0 });
  });

  test("the set is searched for a missing lease only if the lease's weight may have changed", async () => {
    await one.do('acquire', { name });
    await one.do('acquire', { name, wait: 9_000 });
    await admin.config('RESETSTAT');
    const searches = async () =>
      Number(/cmdstat_zrangebyscore:calls=(\d+)/.exec(await admin.info('commandstats'))?.[1] ?? 0);
    expect((await one.do('release', { name })).state).toBe('lost');
    expect((await one.do('renew', { name })).state).toBe('lost');
    expect(await searches()).toBe(0);
    expect((await one.do('release', { name, resized: true })).state).toBe('lost');
    expect(await searches()).toBe(2);
  });

  test('a queue of twenty thousand waiters is granted within the time of one call', async () => {
    const two = new Participant(library('ioredis 6').connect(redis.port));
    onTestFinished(() => two.end());
    await two.listening();
    await one.do('acquire', { name });
    const spec = { name, wait: 60_000, queueLimit: 1e6 };
    for (const participant of [one, two]) {
      const ops = Array.from({ length: 10_000 }, () => participant.op('acquire', spec));
      await participant.store.send(ops, 10_000);
    }
    const raised = await one.do('declare', { name, limit: 1e6 });
    expect(raised).toMatchObject({ inflight: 20_001, queued: 0 });
    expect(one.grants).toHaveLength(10_000);
    await vi.waitFor(() => expect(two.grants).toHaveLength(10_000), 10_000);
  });
});
