import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';

const limit = concurrencyLimit({
  limit: 1,
  queueLimit: 20,
  maxHold: 1500,
  // As if it were left out.
  clock: undefined,
  // Replaces the default warning.
  skip: (c) => c.req.path === '/stats',
});
limit.observe({ leaked: () => {} });

const app = new Hono().use(limit);
app.get('/work', (c) => c.text('done'));
app.get('/hung', () => new Promise<Response>(() => {}));
app.get('/signal', async (c) => {
  const signal = c.var.admission.permit?.signal;
  await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
  return c.text(`${signal?.aborted}`);
});
app.get('/stats', (c) => c.json(limit.stats()));

export default app;
