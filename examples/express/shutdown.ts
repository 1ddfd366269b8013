// On SIGTERM: queued requests are rejected, running ones finish, and the process ends by itself.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);
const limit = concurrencyLimit({ limit: 1, queueLimit: 10, queueTimeout: 2_000, maxHold: 30_000 });

app.get('/health', (_req, res) => {
  res.json({ holders: limit.holders, queued: limit.queued });
});

app.use(limit);

app.get('/', async (_req, res) => {
  await work(1_000); // placeholder for the real work
  res.send('Hello\n');
});

const server = app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', async () => {
  server.close();
  const unfinished = await limit.close({ timeout: 10_000 });
  console.log(`closed, ${unfinished} unfinished`);
  if (unfinished > 0) server.closeAllConnections();
  else server.closeIdleConnections();
});
