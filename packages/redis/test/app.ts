// An app of one process: acquires a permit, prints so, and releases it when its input ends. It handles no error events.
import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { library } from './clients.ts';

const [name = '', port, timeout] = process.argv.slice(2);
const app = library(name).connect(Number(port));
const store = redisStore({
  client: app.client,
  leaseDuration: 3 * Number(timeout),
  timeout: Number(timeout),
});
const limiter = createLimiter({
  name: 'app',
  limit: 1,
  store,
  queueLimit: 10,
  queueTimeout: 30_000,
});
// Otherwise a server that is down would cause a warning.
limiter.observe({ store: () => {} });

try {
  const permit = await limiter.acquire();
  console.log('held');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  permit.release();
  await limiter.close();
} catch (error) {
  console.log((error as { code?: string }).code);
}
// The store is left open: it must not keep the process alive.
await app.close();
process.stdin.destroy();
