import { readFileSync } from 'node:fs';
import { redisStore } from '@headgate/redis';
import { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import { leaseScript } from '../src/lease.lua.ts';
import { statsScript } from '../src/stats.lua.ts';
import { library } from './clients.ts';
import { Participant } from './participant.ts';
import { useServer } from './server.ts';

const { server: redis, admin } = await useServer();
const participants: Participant[] = [];
afterEach(async () => {
  for (const one of participants.splice(0)) await one.end();
  await admin.flushall();
});

function participant(options = {}): Participant {
  const made = new Participant(library('ioredis 6').connect(redis.port), options);
  participants.push(made);
  return made;
}

function documentedRights(): string[] {
  const page = readFileSync(new URL('../../../docs/redis.md', import.meta.url), 'utf8');
  return /With ACLs: grant `([^`]+)`/.exec(page)?.[1]?.split(/\s+/) ?? [];
}

test('every name and key has its own short Redis key', async () => {
  const one = participant();
  const texts = [
    ...['a', 'a:b', 'a%3ab', '{a}', '}', '{', '*', '[a]', 'a b', 'a\nb', '\0', '%', '%%'],
    ...["' return 1 --", '限', '😀', '\ud83d', '\ude00', '\ufffd'],
    ...['x'.repeat(10_000), 'x'.repeat(10_001)],
  ];
  const refs = texts.flatMap((text) => [
    { name: 'n', key: text },
    { name: `n${text}` },
    { name: `n${text}`, key: '' },
  ]);
  for (const state of ['held', 'full']) {
    for (const ref of refs) {
      expect(await one.do('acquire', ref)).toMatchObject({ state, inflight: 1 });
    }
  }
  const keys = await admin.keys('*');
  expect(keys).toHaveLength(refs.length);
  for (const key of keys) expect(Buffer.byteLength(key)).toBeLessThanOrEqual(120);
});

test('two prefixes are independent', async () => {
  const [one, two] = [participant({ prefix: 'a:' }), participant({ prefix: 'b:' })];
  expect((await one.do('acquire', { name: 'x' })).state).toBe('held');
  expect((await two.do('acquire', { name: 'x' })).state).toBe('held');
  expect((await admin.keys('*')).sort()).toEqual(['a:{x}', 'b:{x}']);
});

test('a permit costs at most 150 bytes, and nothing once its limit is unused', async () => {
  const one = participant({ leaseDuration: 900 });
  const ops = Array.from({ length: 10 }, () => one.op('acquire', { name: 'x', limit: 10 }));
  await one.store.send(ops, 1_000);
  expect(await admin.memory('USAGE', 'headgate:{x}')).toBeLessThanOrEqual(10 * 150);
  expect(await admin.object('ENCODING', 'headgate:{x}')).toBe('listpack');
  await vi.waitFor(async () => expect(await admin.exists('headgate:{x}')).toBe(0), 10_000);
  const stats = await one.store.stats({ name: 'x' });
  expect(stats).toMatchObject({ inflight: 0, holders: 0, queued: 0, longestWait: 0 });
});

test('every operation extends the expiry of the limit', async () => {
  const one = participant({ leaseDuration: 1_500 });
  const id = one.id();
  const { fencing } = await one.do('acquire', { name: 'x', id });
  for (const verb of [
    'renew',
    'release',
    'acquire',
    'declare',
    'stay',
    'register',
    'resize',
  ] as const) {
    await admin.pexpire('headgate:{x}', 10_000_000);
    await one.do(verb, { name: 'x', id, fencing });
    const left = await admin.pttl('headgate:{x}');
    expect(left, verb).toBeGreaterThan(0);
    expect(left, verb).toBeLessThanOrEqual(3_000);
  }
});

test('the longest lease determines when a limit expires', async () => {
  const [short, long] = [
    participant({ leaseDuration: 150 }),
    participant({ leaseDuration: 60_000 }),
  ];
  await long.do('acquire', { name: 'x', limit: 2 });
  await short.do('acquire', { name: 'x', limit: 2 });
  expect(await admin.pttl('headgate:{x}')).toBeGreaterThan(100_000);
});

test('a key prefix of the client does not affect the channels', async () => {
  const client = new Redis({ port: redis.port, keyPrefix: 'app:' });
  const one = new Participant({ client, close: async () => client.disconnect() });
  participants.push(one);
  const two = new Participant({ client: client.duplicate(), close: async () => {} });
  participants.push(two);
  await one.listening();
  const [a, b] = [two.id(), one.id()];
  await two.do('acquire', { name: 'x', id: a });
  await one.do('acquire', { name: 'x', id: b, wait: 9_000 });
  await two.do('release', { name: 'x', id: a });
  await one.granted(b);
  expect(await admin.keys('*')).toEqual(['app:headgate:{x}']);
  (two.app.client as Redis).disconnect();
});

test('the privileges listed in docs/redis.md are sufficient', async () => {
  const rights = documentedRights();
  await admin.call('ACL', 'SETUSER', 'app', 'reset', 'on', '>secret', ...rights);
  const restricted = (lease: number) => {
    const options = { username: 'app', password: 'secret', enableReadyCheck: false };
    const client = new Redis({ port: redis.port, ...options });
    const app = { client, close: async () => client.disconnect() };
    const made = new Participant(app, { leaseDuration: lease });
    participants.push(made);
    return made;
  };
  const [one, two] = [restricted(1_000), restricted(60_000)];
  await Promise.all([one.listening(), two.listening()]);
  const limit = 2;
  const [a, b, c] = [one.id(), one.id(), two.id()];
  const { fencing } = await one.do('acquire', { limit, id: a, reserves: true });
  await one.do('acquire', { limit, id: b });
  const { place } = await two.do('acquire', { limit, id: c, wait: 9_000 });
  await vi.waitFor(() => expect(one.recalls).toHaveLength(1), 5_000);
  await two.do('stay', { limit, id: c, wait: 9_000, place });
  await one.do('renew', { limit, id: a, fencing, reserves: true });
  await one.do('release', { limit, id: b });
  await two.granted(c);
  await two.do('release', { limit, id: c });
  await one.do('resize', { limit, id: a, weight: 2, fencing, reserves: true });
  await one.do('register', { limit });
  await one.do('declare', { limit: 3 });
  await vi.waitFor(async () => {
    expect(await one.store.stats({ name: 'limit' })).toMatchObject({ inflight: 0 });
  }, 5_000);
  expect((await one.do('acquire', { limit: 3 })).reclaimed).toBeGreaterThan(0);
  // Redis may reject commands that the client itself sends.
  expect(JSON.stringify(await admin.call('ACL', 'LOG'))).not.toContain('"lua"');
});

test('each privilege listed in docs/redis.md is necessary', () => {
  const commands = documentedRights().flatMap((right) => /^\+(.+)$/.exec(right)?.[1] ?? []);
  const used = leaseScript + statsScript;
  const ofScripts = commands.filter((name) => !['evalsha', 'eval', 'subscribe'].includes(name));
  expect(ofScripts.length).toBeGreaterThan(5);
  for (const name of ofScripts) expect(used).toContain(`call('${name.toUpperCase()}'`);
});

test('data written by a script that was rejected halfway expires, and the limit keeps working', async () => {
  await admin.call('ACL', 'SETUSER', 'half', 'reset', 'on', '>secret', 'allcommands', 'allkeys');
  await admin.call('ACL', 'SETUSER', 'half', 'allchannels', '-zmscore');
  const client = new Redis({ port: redis.port, username: 'half', password: 'secret' });
  const one = new Participant(
    { client, close: async () => client.disconnect() },
    { leaseDuration: 300 },
  );
  participants.push(one);
  const spec = { name: 'halfway' };
  const answers = await one.store.send([one.op('acquire', spec), one.op('acquire', spec)], 5_000);
  expect(answers).toMatchObject([{ error: {} }, { error: {} }]);
  expect(await admin.pttl('headgate:{halfway}')).toBeGreaterThan(0);
  await admin.call('ACL', 'SETUSER', 'half', '+zmscore');
  expect(await one.do('acquire', spec)).toMatchObject({ state: 'held', inflight: 1 });
  expect(await one.do('acquire', spec)).toMatchObject({ state: 'full', inflight: 1 });
});

test('leases registered again after a loss of all data, without free memory, expire too', async () => {
  const client = new Redis(redis.port);
  const one = new Participant(
    { client, close: async () => client.disconnect() },
    { leaseDuration: 300 },
  );
  participants.push(one);
  await admin.config('SET', 'maxmemory', '1');
  const spec = { name: 'no memory', fencing: 5n };
  expect(await one.do('renew', spec)).toMatchObject({ state: 'held', inflight: 1 });
  expect(await admin.pttl('headgate:{no memory}')).toBeGreaterThan(0);
  await admin.config('SET', 'maxmemory', '0');
});

test('an invalid option is rejected with its name', () => {
  const client = new Redis({ port: redis.port, lazyConnect: true });
  const refused = (option: string, options: object) =>
    expect(() => redisStore(options as never), option).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }),
    );
  for (const wrong of [undefined, null, 'redis://x', 5, {}, () => {}, { evalsha() {} }]) {
    refused('client', { client: wrong });
  }
  // Like node-redis 4, and like pools and sentinels.
  const old = { evalSha() {}, eval() {}, duplicate() {}, on() {}, off() {}, isOpen: true };
  refused('client', { client: old });
  refused('client', { client: { ...old, destroy() {}, getMasterNode() {} } });
  refused('client', { client: { ...old, destroy() {}, duplicate: undefined } });
  refused('leaseDuration', { client, leaseDuration: 99 });
  for (const leaseDuration of [Infinity, 1e13]) refused('leaseDuration', { client, leaseDuration });
  refused('leaseDuration', { client, leaseDuration: '1000' });
  refused('leaseDuration', { client, leaseDuration: 2_999, timeout: 1_000 });
  refused('timeout', { client, timeout: 0 });
  refused('client', client);
  refused('prefix', { client, prefix: 5 });
  refused('handoff', { client, handoff: 101 });
  refused('reserve', { client, reserve: -1 });
  expect(() => redisStore({ client, leese: 5 } as never)).toThrow(
    expect.objectContaining({ code: 'ERR_HEADGATE_UNKNOWN_OPTION' }),
  );
  expect(redisStore({ client, leaseDuration: 300 })).toMatchObject({
    leaseDuration: 300,
    timeout: 100,
  });
  expect(redisStore({ client })).toMatchObject({ leaseDuration: 10_000, timeout: 1_000 });
  expect(client.status).toBe('wait');
  client.disconnect();
});
