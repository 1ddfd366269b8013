// Behind a load balancer, on SIGTERM: the readiness probe fails, queued and late requests are served, and then the process ends.
import { setTimeout as pause } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);
// Milliseconds until the load balancer has noticed and sends no more requests.
const removal = Number(process.env.REMOVAL ?? 10_000);
const queueTimeout = 2_000;
const limit = concurrencyLimit({ limit: 1, queueLimit: 10, queueTimeout, maxHold: 30_000 });
let isReady = true;

app.get('/ready', (_req, res) => {
  res.status(isReady ? 200 : 503).json({ isReady, holders: limit.holders, queued: limit.queued });
});

app.use(limit);

app.get('/', async (_req, res) => {
  await pause(500); // placeholder for the real work
  res.send('Hello\n');
});

const server = app.listen(port, () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', async () => {
  isReady = false;
  await pause(removal);
  server.close();
  const end = Date.now() + queueTimeout;
  while (limit.queued > 0 && Date.now() < end) await pause(20);
  const unfinished = await limit.close({ timeout: 10_000 });
  console.log(`closed, ${unfinished} unfinished`);
  if (unfinished > 0) server.closeAllConnections();
  else server.closeIdleConnections();
});
