import { EventEmitter } from 'node:events';
import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import type { Op } from '@headgate/store-kit';
import { startProxy } from '@headgate/test-servers';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RedisClient } from '../src/client.ts';
import { library } from './clients.ts';
import { useServer } from './server.ts';

const { server: redis } = await useServer();

const longTimes = { timeout: 5_000, leaseDuration: 15_000 };

/** A limit of 1, whose `lost` events are counted. */
function start(app: ReturnType<ReturnType<typeof library>['connect']>, name: string) {
  const store = redisStore({ client: app.client, ...longTimes });
  onTestFinished(async () => {
    await store.close();
    await app.close();
  });
  const lost = vi.fn();
  const limiter = createLimiter({ name, limit: 1, store });
  limiter.observe({ lost, store: () => {} });
  return { store, limiter, lost };
}

test.each(['ioredis 5', 'ioredis 6'])(
  '%s: a release executed just before its connection broke is repeated, and not reported as lost',
  async (name) => {
    const proxy = await startProxy(redis);
    onTestFinished(() => proxy.stop());
    const { limiter, lost } = start(library(name).connect(proxy.port), name);
    const direct = start(library(name).connect(redis.port), `${name}, another limit`);
    const permit = await limiter.acquire();
    proxy.delay(300);
    permit.release();
    await vi.waitFor(
      async () => expect(await direct.store.stats({ name })).toMatchObject({ inflight: 0 }),
      { interval: 5, timeout: 5_000 },
    );
    // Its answer is still on its way.
    proxy.delay(0);
    proxy.cut();
    await limiter.close();
    expect(lost).not.toHaveBeenCalled();
  },
);

test.each([
  ['close', 'ok'],
  ['-node', 'ok'],
  ['another event', 'lost'],
])(
  'a release that is answered `lost` after the event "%s" of ioredis is %s',
  async (event, state) => {
    const emitter = new EventEmitter();
    const client = Object.assign(emitter, {
      status: 'ready',
      evalsha: async () => {
        emitter.emit(event);
        return '1\n5\n\n0\n0\n0\n\nlost\n\nlost\n';
      },
      eval: async () => {},
      duplicate: () => {
        throw new Error('no second connection');
      },
    });
    const store = redisStore({ client: client as unknown as RedisClient });
    onTestFinished(() => store.close());
    const ref = { name: 'A', limit: 1, version: '' };
    const lease = { id: `${store.owner}.1`, weight: 1, wait: 0, queueLimit: 0, extraTokens: 0 };
    const release: Op = {
      verb: 'release',
      lease: { ref, ...lease, resized: false, reserves: false },
    };
    const renew: Op = { verb: 'renew', lease: release.lease };
    expect(await store.send([release, renew], 1_000)).toMatchObject([{ state }, { state: 'lost' }]);
  },
);
