import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createLimiter } from '@headgate/core';
import { startRedis, startReplica } from '@headgate/test-servers';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RedisClient } from '../src/client.ts';
import { libraries } from './clients.ts';
import { Participant } from './participant.ts';

async function server(args: readonly string[] = []) {
  const redis = await startRedis({ args });
  onTestFinished(() => redis.stop());
  return redis;
}

function adminOf({ port }: { port: number }, options = {}): Redis {
  const admin = new Redis({ port, ...options });
  onTestFinished(() => admin.disconnect());
  return admin;
}

const refused = 'ERR_HEADGATE_STORE_REFUSED';

/** A transaction on the connection of a client, of either library. */
function transactionOf(client: RedisClient) {
  const { multi, discard, sendCommand } = client as unknown as Record<
    'multi' | 'discard' | 'sendCommand',
    (...args: unknown[]) => Promise<unknown>
  >;
  if (client instanceof Redis || 'discard' in client)
    return {
      begin: () => multi.call(client, { pipeline: false }),
      discard: () => discard.call(client),
    };
  const send = (command: string) => () => sendCommand.call(client, [command]);
  return { begin: send('MULTI'), discard: send('DISCARD') };
}

describe.each(libraries)('$name', ({ connect }) => {
  function participant(
    { port }: { port: number },
    options?: ConstructorParameters<typeof Participant>[1],
  ): Participant {
    const made = new Participant(connect(port), options);
    onTestFinished(() => made.end());
    return made;
  }

  test('a Redis key of another type is not changed', async () => {
    const redis = await server();
    const admin = adminOf(redis);
    await admin.set('headgate:{text}', 'x');
    await admin.zadd('headgate:{set}', '1', 'x', '2', 'y');
    // Has the length of a real head.
    await admin.zadd('headgate:{alike}', '-1', 'x'.repeat(64));
    const one = participant(redis);
    for (const name of ['text', 'set', 'alike']) {
      for (const verb of ['acquire', 'renew', 'release', 'declare'] as const) {
        const error = await one.fails(verb, { name });
        expect(error).toMatchObject({
          code: refused,
          message: expect.stringContaining('WRONGTYPE'),
        });
        expect(String((error.cause as Error).message)).toContain('WRONGTYPE');
      }
      await expect(one.store.stats({ name })).rejects.toMatchObject({ code: refused });
      expect(await admin.ttl(`headgate:{${name}}`)).toBe(-1);
    }
    expect(await admin.zrange('headgate:{set}', '0', '-1')).toEqual(['x', 'y']);
    // An error for one limit does not affect another.
    const good = one.op('acquire', { name: 'good' });
    const answers = await one.store.send([one.op('acquire', { name: 'text' }), good], 1_000);
    expect(answers).toMatchObject([{ error: { code: refused } }, { state: 'held' }]);
  });

  test('a read-only replica rejects calls', async () => {
    const master = await server();
    const writer = participant(master);
    await writer.do('acquire', { name: 'limit', limit: 3 });
    const replica = await startReplica(master);
    onTestFinished(() => replica.stop());
    const one = participant(replica);
    const error = await one.fails('acquire', { name: 'limit', limit: 3 });
    expect(error).toMatchObject({ code: refused, message: expect.stringContaining('READONLY') });
    expect(await one.store.stats({ name: 'limit' })).toMatchObject({ inflight: 1, limit: 3 });
  });

  test('without the password every call is rejected', async () => {
    const one = participant(await server(['--requirepass', 'secret']));
    const error = await one.fails('acquire', {}, 300);
    // node-redis 5 also reports what else was rejected while it connected.
    expect(error).toMatchObject({ code: refused, message: expect.stringMatching(/NOAUTH|ERR/) });
  });

  test.each([
    {
      refusal: 'the user has no channels',
      refuse: (admin: Redis) => admin.call('ACL', 'SETUSER', 'default', 'resetchannels'),
      accept: (admin: Redis) => admin.call('ACL', 'SETUSER', 'default', 'allchannels'),
    },
    {
      refusal: 'the server accepts no further connection',
      refuse: (admin: Redis) => admin.config('SET', 'maxclients', '2'),
      accept: (admin: Redis) => admin.config('SET', 'maxclients', '100'),
    },
  ])(
    'a subscription that cannot be opened is reported until it opens: $refusal',
    async ({ refuse, accept }) => {
      const redis = await server();
      const admin = adminOf(redis);
      await refuse(admin);
      const one = participant(redis);
      expect((await one.do('acquire', {})).state).toBe('held');
      await vi.waitFor(() => expect(one.muted).toHaveLength(1), 10_000);
      expect(one.muted[0]).toMatch(/^ERR_HEADGATE_STORE_(REFUSED|DOWN)$/);
      await accept(admin);
      await vi.waitFor(() => expect(one.muted).toHaveLength(2), 10_000);
      expect(one.muted[1]).toBeUndefined();
    },
  );

  test('calls within a transaction of the app are rejected, and later calls succeed', async () => {
    const redis = await server();
    const one = participant(redis);
    await one.do('declare', { name: 'limit' });
    const transaction = transactionOf(one.app.client);
    await transaction.begin();
    const message = expect.stringContaining('the client is in a transaction (MULTI)');
    expect(await one.fails('acquire', { name: 'limit' })).toMatchObject({ code: refused, message });
    await expect(one.store.stats({ name: 'limit' })).rejects.toMatchObject({ message });
    await transaction.discard();
    expect((await one.do('acquire', { name: 'limit' })).state).toBe('held');
  });

  test('a key does not appear in errors', async () => {
    const redis = await server();
    const ref = { name: 'mail', key: 'jane@example.org' };
    await adminOf(redis).set(`headgate:{${ref.name}:${ref.key}}`, 'x');
    const one = participant(redis);
    const errors = [await one.fails('acquire', ref), await one.store.stats(ref).catch((e) => e)];
    for (const error of errors) {
      expect(error.cause).toMatchObject({ message: expect.stringContaining('WRONGTYPE') });
      const texts = [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error)];
      for (const text of texts) expect(text).not.toContain(ref.key);
    }
  });

  test('without free memory new leases are rejected, and existing ones are renewed and released', async () => {
    const redis = await server();
    const admin = adminOf(redis);
    const one = participant(redis);
    const [held, gone] = [one.id(), one.id()];
    const { fencing } = await one.do('acquire', { limit: 3, id: held });
    await one.do('acquire', { limit: 3, id: gone });
    await admin.config('SET', 'maxmemory', '1');
    const error = await one.fails('acquire', { limit: 3 });
    expect(error).toMatchObject({ code: refused, message: expect.stringContaining('OOM') });
    expect(await one.do('renew', { limit: 3, id: held, fencing })).toMatchObject({
      state: 'held',
      inflight: 2,
    });
    expect((await one.do('release', { limit: 3, id: gone })).inflight).toBe(1);
    expect((await one.do('release', { name: 'unknown' })).state).toBe('lost');
    await admin.config('SET', 'maxmemory', '0');
    expect(await one.do('acquire', { limit: 3 })).toMatchObject({ state: 'held', inflight: 2 });
  });

  test('a server that cannot save to its disk refuses renewals, so the holder is aborted before its lease ends', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const redis = await server(['--enable-protected-configs', 'yes', '--save', '3600 1']);
    const admin = adminOf(redis);
    const { store } = participant(redis, { leaseDuration: 1_500, timeout: 500 });
    const limiter = createLimiter({ name: 'limit', limit: 1, store });
    const permit = await limiter.acquire();
    const folder = await mkdtemp(join(tmpdir(), 'headgate-'));
    await admin.config('SET', 'dir', folder);
    await rm(folder, { recursive: true });
    await admin.bgsave();
    await vi.waitFor(async () =>
      expect(await admin.info('persistence')).toContain('rdb_last_bgsave_status:err'),
    );
    await vi.waitFor(() => expect(permit.signal.aborted).toBe(true), 10_000);
    await expect(limiter.acquire()).rejects.toThrow('MISCONF');
    await limiter.close({ timeout: 0 });
  });
});
