// A rolling restart behind a proxy. On SIGTERM, the readiness probe fails, queued and late requests are served, event
// streams end, and then the process ends. docs/rolling-restarts.md explains each step.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/express';
import express, { type Response } from 'express';

const app = express();
const port = process.env.PORT ?? 3000; // or the path of a Unix socket
// Milliseconds until the proxy has noticed and sends no more requests.
const removal = Number(process.env.REMOVAL ?? 10_000);
const limit = concurrencyLimit({ limit: 4, queueLimit: 50, queueTimeout: 5_000, maxHold: 30_000 });

let isReady = true;
const stopping = new AbortController();
const responses = new Set<Response>();

app.get('/ready', (_req, res) => {
  res.status(isReady ? 200 : 503).json({ isReady, holders: limit.holders, queued: limit.queued });
});

app.use((_req, res, next) => {
  responses.add(res.once('close', () => responses.delete(res)));
  if (!isReady) res.set('Connection', 'close');
  next();
});

process.on('SIGTERM', async () => {
  if (!isReady) return; // sent twice
  isReady = false;
  for (const res of responses) if (!res.headersSent) res.set('Connection', 'close');
  const address = server.address();
  if (typeof address === 'string') await rm(address, { force: true }); // a proxy can open no new connections
  await pause(removal); // milliseconds: REMOVAL

  const deadline = AbortSignal.timeout(10_000);
  stopping.abort();
  server.close();
  await once(server, 'close', { signal: deadline }).catch(() => {}); // until all requests are served
  const unfinished = await limit.close({ signal: deadline });
  console.log(`closed, ${unfinished} unfinished`);
  server.closeAllConnections();
  if (unfinished > 0) process.exit(1); // a handler ignores its signal
});

app.get('/events', async (_req, res) => {
  res.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no', Connection: 'close' });
  while (!stopping.signal.aborted && !res.destroyed) {
    res.write(`data: ${new Date().toISOString()}\n\n`);
    await pause(1_000, undefined, { signal: stopping.signal }).catch(() => {});
  }
  res.end('data: the server restarts\n\n');
});

app.use(limit);

app.get('/report', async (_req, res) => {
  await pause(300); // placeholder for the real work
  res.send(`A report by process ${process.pid}\n`);
});

app.post('/orders', express.json({ limit: '1mb' }), async (req, res) => {
  await pause(20);
  res.status(201).json(req.body);
});

const server = app.listen(port).once('listening', () => console.log(`listening on ${port}`));
server.keepAliveTimeout = 75_000; // longer than a proxy keeps idle connections
