import { env } from 'cloudflare:workers';
import { durableObjectStore } from '@headgate/durable-object';
import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';

export { LimitObject } from '@headgate/durable-object';

const store = durableObjectStore({ namespace: env.LIMITS, leaseDuration: 6000, timeout: 2000 });

const limit = concurrencyLimit({
  name: 'work',
  limit: 2,
  store,
  queueLimit: 50,
  queueTimeout: 30_000,
  maxHold: 30_000,
  skip: (c) => c.req.path === '/stats',
});

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const app = new Hono().use(limit);
app.get('/work/:ms', async (c) => {
  await pause(Number(c.req.param('ms')));
  return c.text('done');
});
app.get('/stream', (c) => {
  const chunk = new TextEncoder().encode('chunk ');
  return c.body(
    new ReadableStream({
      async pull(controller) {
        await pause(5);
        controller.enqueue(chunk);
      },
    }),
  );
});
app.get('/stats', async (c) => {
  const { inflight, queued } = await store.stats({ name: 'work' });
  const own = limit.stats();
  return c.json({
    inflight,
    queued,
    own: own.holders,
    leaked: own.leaked,
    rejected: own.rejected,
  });
});

export default app;
