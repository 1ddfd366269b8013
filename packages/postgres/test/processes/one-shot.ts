// Uses a limit once and has no further work, so it must end by itself. Some variants do not release, or do not close.
import { createLimiter } from '@headgate/core';
import { postgresStore } from '@headgate/postgres';

const [connect = '', ending = ''] = process.argv.slice(2);
const store = postgresStore({ connect });
const limiter = createLimiter({ name: ending, limit: 1, queueLimit: 5, store });
const permit = await limiter.acquire();
if (ending !== 'holding') permit.release();
if (ending === 'closing') {
  await limiter.close();
  await store.close();
}
