import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** The cost of Hono itself: routes with constant answers, one of which reads the body. */
const app = new Hono();
app.get('/health', (c) => c.text('Ok'));
app.put('/bare', async (c) => {
  await c.req.text();
  return c.text('Ok');
});
app.delete('/bare', (c) => c.text('Ok'));
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' });
