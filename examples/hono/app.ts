// Hono on Node: a limit for the app, and a narrower one for a route and for work outside HTTP.
import { setTimeout as work } from 'node:timers/promises';
import { concurrencyLimit, createLimiter } from '@headgate/hono';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

const app = new Hono();
const port = Number(process.env.PORT ?? 3000);
const renders = createLimiter({ name: 'renders', limit: 2, queueLimit: 2, maxHold: 30_000 });

async function render(text: string) {
  await work(500); // placeholder for the real work
  return `<p>${text.length} letters</p>\n`;
}

app.get('/health', (c) => c.text('ok'));

app.post('/renders', concurrencyLimit({ limiter: renders }), async (c) => {
  const page = await render(await c.req.text());
  c.header('X-Waited', String(c.var.admission.waited));
  return c.html(page);
});

// Queues with the requests.
setInterval(() => renders.run(() => render('The latest news')).catch(() => {}), 60_000).unref();

serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`));
