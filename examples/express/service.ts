// One limit over the processes of a machine, with no database: headgate-server counts, over a unix socket.
//
//   printf '[semaphores]\nreports = 2\n' > throttle.toml
//   npx @headgate/server -c throttle.toml --socket /tmp/headgate.sock
//
// Then start this several times, each with a PORT of its own.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import { throttleStore } from '@headgate/throttle';
import express from 'express';

const app = express();
const port = Number(process.env.PORT ?? 3000);

const store = throttleStore({ url: process.env.THROTTLE_URL ?? 'unix:/tmp/headgate.sock' });
const reports = concurrencyLimit({
  name: 'reports', // the semaphore
  limit: 2, // at work, over all of them: what the semaphore says, too
  queueLimit: 1, // waiting, in each
  queueTimeout: 5_000,
  maxHold: 60_000,
  store,
  onStoreError: 'local', // while the service is away, each instance has 2
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
