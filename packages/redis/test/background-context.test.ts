import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { remainsOfFirst } from '@headgate/test-kit/first-request';
import { expect, it, onTestFinished } from 'vitest';
import { libraries } from './clients.ts';
import { useServer } from './server.ts';

const { server } = await useServer();

it.each(libraries)(
  "the store's background work does not keep the async context of the first request: $name",
  async ({ name, connect }) => {
    const { client, close } = connect(server.port);
    // The next store then subscribes with its first operation, which is that of the request.
    await redisStore({ client }).stats({ name });
    const store = redisStore({ client, leaseDuration: 1_800, timeout: 600 });
    const limiter = createLimiter({ name, limit: 1, queueLimit: 9, queueTimeout: 20_000, store });
    onTestFinished(async () => {
      await limiter.close();
      await store.close();
      await close();
    });
    expect(await remainsOfFirst(limiter, 700)).toEqual([]);
  },
);
