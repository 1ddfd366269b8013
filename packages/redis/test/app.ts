// An app of one process: takes a permit, says so, and is done with it when its input ends. It listens to no error.
import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { library } from './clients.ts';

const [name = '', port, timeout] = process.argv.slice(2);
const app = library(name).connect(Number(port));
const store = redisStore({
  client: app.client,
  lease: 3 * Number(timeout),
  timeout: Number(timeout),
});
const limiter = createLimiter({
  name: 'app',
  limit: 1,
  store,
  queueLimit: 10,
  queueTimeout: 30_000,
  // Else a server that is down is a warning.
  observer: { store: () => {} },
});

try {
  const permit = await limiter.acquire();
  console.log('held');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  permit.release();
  await limiter.close();
} catch (error) {
  console.log((error as { code?: string }).code);
}
// The store is left open: it keeps no process alive.
await app.close();
process.stdin.destroy();
