// Node's cluster, without a framework: one limit for all workers.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as work } from 'node:timers/promises';
import { createLimiter, RejectedError, StoreError } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import { Redis } from 'ioredis';

if (cluster.isPrimary) await lead(4);
else serve();

async function lead(count: number): Promise<void> {
  const workers = Array.from({ length: count }, () => cluster.fork());
  process.on('SIGTERM', () => {
    for (const worker of workers) worker.process.kill('SIGTERM');
  });
  await Promise.all(workers.map((worker) => once(worker, 'listening')));
  console.log(`${count} workers`);
}

function serve(): void {
  // Each worker has a client and a limiter of its own. The name makes them one limit.
  const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost:6379');
  redis.on('error', ({ message }) => console.error(`Redis: ${message}`));
  const store = redisStore({ client: redis });
  const renders = createLimiter({ name: 'renders', limit: 3, queueLimit: 3, store });

  const server = createServer(async (_req, res) => {
    const client = new AbortController();
    res.once('close', () => client.abort());
    const { signal } = client; // a client that disconnects leaves the queue
    try {
      const page = await renders.run(
        // The permit's own signal: it aborts when the lease is lost.
        (permit) => render(AbortSignal.any([signal, permit.signal])),
        { signal, queueTimeout: 5_000 },
      );
      res.end(page);
    } catch (error) {
      if (!signal.aborted) refuse(res, error);
    }
  });
  server.listen(Number(process.env.PORT ?? 3000));

  let isClosing = false;
  process.on('SIGTERM', async () => {
    if (isClosing) return; // a supervisor may signal the workers, too
    isClosing = true;
    server.close();
    // First the limiter, which releases its leases, then the connections that it needs for that.
    const unfinished = await renders.close({ timeout: 10_000 });
    await store.close();
    await redis.quit().catch(() => redis.disconnect());
    console.log(`closed, ${unfinished} unfinished`);
    process.disconnect?.(); // ends this worker
  });
}

async function render(signal: AbortSignal): Promise<string> {
  await work(1_000, undefined, { signal }); // placeholder for the real work
  return `rendered by ${process.pid}\n`;
}

function refuse(res: ServerResponse, error: unknown): void {
  const isRefusal = error instanceof RejectedError || error instanceof StoreError;
  if (!isRefusal) console.error(error);
  const retryAfter = isRefusal ? error.rejection?.retryAfter : undefined;
  if (retryAfter === undefined) res.writeHead(500).end();
  else res.writeHead(503, { 'Retry-After': retryAfter }).end();
}
