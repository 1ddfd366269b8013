// Hono on Cloudflare Workers: one limit for all isolates of the Worker, counted in a Durable Object.
import { env } from 'cloudflare:workers';
import { durableObjectStore } from '@headgate/durable-object';
import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';

// The class that wrangler.jsonc names.
export { LimitObject } from '@headgate/durable-object';

const store = durableObjectStore({ namespace: env.LIMITS });
const app = new Hono();

// The service behind this route allows two calls at a time.
const reports = concurrencyLimit({
  name: 'reports',
  limit: 2,
  store,
  queueLimit: 2,
  queueTimeout: 5_000,
  maxHold: 30_000,
});

app.get('/health', (c) => c.text('ok'));

app.post('/reports/:id', reports, async (c) => {
  await new Promise((resolve) => setTimeout(resolve, 500)); // placeholder for the real work
  return c.text(`report ${c.req.param('id')}\n`);
});

export default app;
