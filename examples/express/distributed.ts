// One limit for all instances, counted in Redis: start it several times, each with a PORT of its own.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import { redisStore } from '@headgate/redis';
import express from 'express';
import { Redis } from 'ioredis';

const app = express();
const port = Number(process.env.PORT ?? 3000);
const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost:6379');
redis.on('error', ({ message }) => console.error(`Redis: ${message}`));

const store = redisStore({ client: redis, leaseDuration: 10_000 });
const reports = concurrencyLimit({
  name: 'reports', // the same in every instance
  limit: 2, // in all instances together
  queueLimit: 2, // in all instances together
  queueTimeout: 5_000,
  maxHold: 60_000,
  store,
  onStoreError: 'local', // while Redis is unavailable, 2 in each instance
});

app.get('/stats', (_req, res) => {
  res.json(reports.stats());
});

app.post(
  '/reports/:id',
  reports.wrap(async (req, res) => {
    // Aborts when the client disconnects, and when the lease is lost: stop, and write nothing more.
    const signal = res.locals.admission.permit?.signal;
    await work(1_000, undefined, { signal }); // placeholder for the real work
    res.json({ report: req.params.id, by: process.pid });
  }),
);

const server = app.listen(port).once('listening', () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', async () => {
  server.close();
  // First the limit, which releases its leases, then the connections that it needs for that.
  const unfinished = await reports.close({ timeout: 10_000 });
  await store.close();
  await redis.quit().catch(() => redis.disconnect());
  console.log(`closed, ${unfinished} unfinished`);
  if (unfinished > 0) server.closeAllConnections();
  else server.closeIdleConnections();
});
