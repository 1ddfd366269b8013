// One limit over all instances, counted in PostgreSQL: start it several times, each with a PORT of its own.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import { postgresStore } from '@headgate/postgres';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);

// The server itself, where the app's own queries go through a pooler.
const store = postgresStore({
  connect: process.env.DATABASE_URL ?? 'postgres://localhost/postgres',
});
await store.migrate(); // makes the tables, where no migration of yours has
const reports = concurrencyLimit({
  name: 'reports', // the same in every instance
  limit: 2, // at work, over all of them
  queueLimit: 2, // waiting, over all of them
  queueTimeout: 5_000,
  maxHold: 60_000,
  store,
  onStoreError: 'local', // while PostgreSQL is away, each instance has 2
});

app.get('/stats', (_req, res) => {
  res.json(reports.stats());
});

app.post(
  '/reports/:id',
  reports.wrap(async (req, res) => {
    // Aborts when the client leaves, and when the place may be somebody else's by now: stop, and write nothing more.
    const signal = res.locals.admission.permit?.signal;
    await work(1_000, undefined, { signal }); // in place of the real work
    res.json({ report: req.params.id, by: process.pid });
  }),
);

const server = app.listen(port, () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', async () => {
  server.close();
  // First the limit, which gives its places back, then what it does so through.
  const unfinished = await reports.close({ timeout: 10_000 });
  await store.close();
  console.log(`closed, ${unfinished} unfinished`);
  if (unfinished > 0) server.closeAllConnections();
  else server.closeIdleConnections();
});
