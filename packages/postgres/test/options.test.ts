import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import type { Connect } from '../src/client.ts';
import { useDatabase } from './processes/database.ts';
import { limitOf, requestOf } from './request.ts';

const database = useDatabase();

test('an invalid option is rejected with its name', () => {
  const connect = 'postgres://localhost/app';
  const refused = (option: string, options: object) =>
    expect(() => postgresStore(options as never), option).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }),
    );
  for (const wrong of [
    undefined,
    null,
    '',
    'localhost',
    5,
    true,
    new pg.Client(connect),
    new pg.Pool(),
  ]) {
    refused('connect', { connect: wrong });
  }
  for (const wrong of ['', 5, null, 'a\0b', 'x'.repeat(64), 'é'.repeat(32)]) {
    refused('schema', { connect, schema: wrong });
  }
  refused('leaseDuration', { connect, leaseDuration: 99 });
  refused('leaseDuration', { connect, leaseDuration: Infinity });
  refused('leaseDuration', { connect, leaseDuration: '1000' });
  refused('leaseDuration', { connect, leaseDuration: 2_999, timeout: 1_000 });
  refused('timeout', { connect, timeout: 0 });
  refused('handoff', { connect, handoff: 101 });
  refused('reserve', { connect, reserve: -1 });
  for (const wrong of [1_999, '60000', Number.NaN, null]) {
    refused('idleTimeout', { connect, idleTimeout: wrong });
  }
  expect(() => postgresStore({ connect, leese: 5 } as never)).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_UNKNOWN_OPTION' }),
  );
  expect(postgresStore({ connect, leaseDuration: 300 })).toMatchObject({
    leaseDuration: 300,
    timeout: 100,
  });
  const defaults = { leaseDuration: 10_000, timeout: 1_000, handoff: 0, reserve: 0 };
  expect(postgresStore({ connect })).toMatchObject(defaults);
  const saving = { handoff: 8, reserve: 2 };
  expect(postgresStore({ connect, ...saving })).toMatchObject(saving);
});

test('the store connects with a string, a config, and a function that makes a client', async () => {
  const config = {
    host: '127.0.0.1',
    port: database.server.port,
    user: 'postgres',
    database: 'postgres',
  };
  const ways: Connect[] = [
    database.url,
    config,
    () => new pg.Client(config),
    async () => new pg.Client(database.url),
  ];
  for (const connect of ways) {
    const store = postgresStore({ connect });
    await store.migrate();
    const limiter = createLimiter({ name: 'ways', limit: 1, store });
    expect(await limiter.run((permit) => typeof permit.fencing)).toBe('bigint');
    await limiter.close();
    await store.close();
  }
});

test("the app's settings for parsing results do not matter", async () => {
  const config = {
    host: '127.0.0.1',
    port: database.server.port,
    user: 'postgres',
    database: 'postgres',
  };
  const types = { getTypeParser: () => (value: string) => ({ value }) };
  for (const reading of [{ types }, { binary: true }]) {
    const store = postgresStore({ connect: { ...config, ...reading } });
    const limiter = createLimiter({ name: 'reading', limit: 1, store });
    expect(await limiter.run(() => store.stats({ name: 'reading' }))).toMatchObject({
      inflight: 1,
    });
    await limiter.close();
    await store.close();
  }
});

async function errorOf(connect: Connect, timeout = 5_000) {
  const store = postgresStore({ connect, leaseDuration: 3 * timeout, timeout });
  const op = { verb: 'declare', ref: limitOf('any') } as const;
  const [answer] = await store.send([op], timeout);
  await expect(store.stats({ name: 'any' })).rejects.toMatchObject({ name: 'StoreError' });
  await store.close();
  return (answer as { error: { code: string; message: string } }).error;
}

test('connection errors name their cause', async () => {
  const refused = 'ERR_HEADGATE_STORE_REFUSED';
  const nowhere = database.url.replace(/postgres$/, 'nowhere');
  expect(await errorOf(nowhere)).toMatchObject({
    code: refused,
    message: expect.stringContaining('3D000'),
  });
  const noRole = database.url.replace('postgres@', 'nobody@');
  expect(await errorOf(noRole)).toMatchObject({
    code: refused,
    message: expect.stringContaining('28000'),
  });
  const down = 'ERR_HEADGATE_STORE_DOWN';
  expect(await errorOf('postgres://postgres@127.0.0.1:1/postgres')).toMatchObject({ code: down });
  const broken = () => {
    throw new Error('no secret');
  };
  expect(await errorOf(broken)).toMatchObject({ code: down });
  for (const made of [{}, undefined, new pg.Pool({ connectionString: database.url })]) {
    expect(await errorOf(() => made as never)).toMatchObject({
      code: refused,
      message: expect.stringContaining('pg.Client'),
    });
  }
  await expect(postgresStore({ connect: () => new pg.Pool() as never }).migrate()).rejects.toThrow(
    'pg.Client',
  );
});

test('a client that the app has already connected is rejected', async () => {
  const used = new pg.Client(database.url);
  await used.connect();
  expect(await errorOf(() => used)).toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
  await used.end().catch(() => {});
});

test('a function that returns the same client again is rejected, and adds no listeners to the client', async () => {
  const client = new pg.Client(database.url);
  const error = await errorOf(() => client);
  expect(error).toMatchObject({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: expect.stringContaining('a new pg.Client'),
  });
  expect(client.listenerCount('error')).toBe(1);
  await client.end().catch(() => {});
});

test('names and keys are treated as data and do not appear in errors', async () => {
  const store = postgresStore({ connect: database.url });
  const name = `'; DROP SCHEMA headgate CASCADE; --\0\ud800 $1 "`;
  const limiter = createLimiter({ name, limit: 1, perKey: true, store });
  const held = await limiter.acquire({ key: name });
  expect(await store.stats({ name, key: name })).toMatchObject({ inflight: 1 });
  expect(await store.stats({ name })).toMatchObject({ inflight: 0 });
  held.release();
  await limiter.close();
  await store.close();
});

test('a queue position that the store never issued counts as the end of the queue', async () => {
  const store = postgresStore({ connect: database.url });
  const op = (verb: 'acquire' | 'stay', place?: string) => {
    const request = requestOf(store, limitOf('places'));
    return { verb, lease: { ...request, wait: 9_000, queueLimit: 9, place } };
  };
  const odd = ['-1', '1e14', 'inf', 'here', '9'.repeat(30)].map((place) => op('stay', place));
  const answers = await store.send([op('acquire'), op('acquire'), ...odd], 5_000);
  const [held, first, ...rest] = answers.map((answer) =>
    'error' in answer ? answer.error : answer,
  );
  expect(held).toMatchObject({ state: 'held' });
  for (const one of [first, ...rest]) expect(one).toMatchObject({ state: 'queued' });
  const places = [first, ...rest].map((one) => Number((one as { place?: string }).place));
  expect(places).toEqual([...places].sort((one, other) => one - other));
  await store.close();
});

test('unused limits and keys are removed while any limit is in use', async () => {
  const store = postgresStore({ connect: database.url, leaseDuration: 1_500 });
  // On a busy machine, the first call takes longer than the timeout.
  await vi.waitFor(() => store.stats({ name: 'keyed' }), 10_000);
  const limiter = createLimiter({ name: 'keyed', limit: 1, perKey: true, store });
  for (const key of ['a', 'b', 'c']) await limiter.run(() => {}, { key });
  const sql = `SELECT count(*)::int FROM headgate.limits WHERE label LIKE '["keyed"%'`;
  const count = () => database.ask(sql);
  expect(await count()).toBeGreaterThan(0);
  const other = createLimiter({ name: 'in use', limit: 1, store });
  await other.run(() => vi.waitFor(async () => expect(await count()).toBe(0), 10_000));
  await other.close();
  await limiter.close();
  await store.close();
});

test('malformed notifications are ignored', async () => {
  const store = postgresStore({ connect: database.url });
  const heard: unknown[] = [];
  const check = vi.fn();
  const hear = (one: unknown) => heard.push(one);
  store.listen({ grant: hear, recall: hear, check, state: () => {} });
  await store.stats({ name: 'x' });
  await vi.waitFor(() => expect(check).toHaveBeenCalled(), 10_000);
  const notify = 'SELECT pg_notify($1, $2)';
  const channel = `headgate_${store.owner}`;
  for (const message of [
    '',
    'grant',
    'grant\nx',
    'grant\nx y',
    'recall',
    'recall\n{',
    'recall\n5',
    'what\nx 5',
  ]) {
    await database.ask(notify, channel, message);
  }
  await database.ask(notify, channel, 'grant\nid 5');
  await vi.waitFor(() => expect(heard).toContainEqual({ id: 'id', fencing: 5n }), 10_000);
  expect(heard).toEqual([{ id: 'id', fencing: 5n }]);
  await store.close();
});
