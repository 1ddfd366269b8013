import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { startProxy, startRedis } from '@headgate/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { libraries } from './clients.ts';

// Redis is down when the process starts.

let redis: Awaited<ReturnType<typeof startRedis>>;
const undo: (() => unknown)[] = [];
beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
  vi.restoreAllMocks();
});
afterAll(() => redis.stop());

describe.each(libraries)('$name', ({ name: library, connect }) => {
  test.each(['admit', 'local', 'reject'] as const)(
    'the first request is answered immediately under %s, and a warning names the cause; the store is used once it is up',
    async (onStoreError) => {
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      const proxy = await startProxy(redis);
      undo.push(() => proxy.stop());
      proxy.refuse(true);
      const app = connect(proxy.port);
      const store = redisStore({ client: app.client, timeout: 1_000 });
      const name = `${library} ${onStoreError}`;
      const limiter = createLimiter({ name, limit: 2, store, onStoreError });
      undo.push(async () => {
        await limiter.close({ timeout: 0 });
        await store.close();
        await app.close();
      });
      const asked = performance.now();
      const outcome = await limiter.acquire().catch((error: Error) => error);
      expect(performance.now() - asked).toBeLessThan(400);
      if (outcome instanceof Error) {
        expect(onStoreError).toBe('reject');
        expect(outcome).toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
      } else expect(onStoreError).not.toBe('reject');
      const texts = () => warn.mock.calls.map(([text]) => String(text));
      expect(texts()).toEqual([expect.stringMatching(/fails: Redis cannot be reached \(.+\)/)]);

      proxy.refuse(false);
      await vi.waitFor(async () => {
        const permit = await limiter.acquire();
        permit.release();
        expect(permit.fencing).toBeDefined();
      }, 8_000);
      expect(texts().slice(1)).toEqual([expect.stringContaining('is back')]);
    },
  );
});
