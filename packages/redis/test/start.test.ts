import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { startProxy } from '@headgate/test-servers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { libraries } from './clients.ts';
import { useServer } from './server.ts';

// Redis is down when the process starts.

const { server: redis } = await useServer();

describe.each(libraries)('$name', ({ name: library, connect }) => {
  test.each(['admit', 'local', 'reject'] as const)(
    'with onStoreError: %s, the policy applies to the first request when its call has timed out, a warning names the cause, and the store is used later',
    async (onStoreError) => {
      onTestFinished(() => void vi.restoreAllMocks());
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      const proxy = await startProxy(redis);
      onTestFinished(() => proxy.stop());
      proxy.refuse(true);
      const app = connect(proxy.port);
      const store = redisStore({ client: app.client, leaseDuration: 15_000, timeout: 1_000 });
      const name = `${library} ${onStoreError}`;
      const limiter = createLimiter({ name, limit: 2, store, onStoreError });
      onTestFinished(async () => {
        await limiter.close({ timeout: 0 });
        await store.close();
        await app.close();
      });
      const outcome = await limiter.acquire().catch((error: Error) => error);
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
