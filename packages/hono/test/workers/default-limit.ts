import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';

const app = new Hono().use(concurrencyLimit({ maxHold: 5000 }));
app.get('/', async (c) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return c.text('done');
});

export default app;
