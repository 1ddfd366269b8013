import { redisStore } from '@headgate/redis';
import { startProxy } from '@headgate/test-servers';
import { storeSuite } from '@headgate/test-suite';
import { afterAll, expect, vi } from 'vitest';
import type { Library } from './clients.ts';
import { useServer } from './server.ts';

/** Tests the store contract, or these topics of it, with one library. */
export async function suiteThrough(library: Library, topics?: readonly string[]): Promise<void> {
  const { server: redis, admin } = await useServer();
  const proxy = await startProxy(redis);
  afterAll(() => proxy.stop());

  storeSuite({
    name: `Redis through ${library.name}`,
    topics,
    connect: async (times) => {
      const app = library.connect(proxy.port);
      const store = redisStore({ client: app.client, ...times });
      const { close } = store;
      store.close = async () => {
        await close.call(store);
        await app.close();
      };
      // So that no message arrives too early; the suite does not repeat a request on `check`.
      await store.send([], times.timeout);
      const channel = `headgate:${store.owner}`;
      const listeners = async () => (await admin.pubsub('NUMSUB', channel))[1];
      await vi.waitFor(async () => expect(await listeners()).toBe(1), {
        interval: 2,
        timeout: 5_000,
      });
      return store;
    },
    wipe: async () => void (await admin.flushall()),
    hang: () => {
      redis.freeze();
      return () => redis.thaw();
    },
    refuse: () => proxy.away(),
  });
}
