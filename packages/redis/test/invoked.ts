// A function of a serverless platform: uses the limiter for each line of its input, and prints a line when it has responded.
import { createInterface } from 'node:readline';
import { createLimiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { library } from './clients.ts';

const [name = '', port, leaseDuration] = process.argv.slice(2);
const app = library(name).connect(Number(port));
const store = redisStore({ client: app.client, leaseDuration: Number(leaseDuration) });
const limiter = createLimiter({ name: 'app', limit: 1, store, queueTimeout: 30_000 });

for await (const line of createInterface({ input: process.stdin })) {
  const result = await limiter.run(() => line).catch((error) => error.code);
  // A platform sends the response over a socket, which takes at least one iteration of the event loop.
  await new Promise(setImmediate);
  console.log(result);
}
