import { concurrencyLimit } from '@headgate/hono';
import { Hono } from 'hono';

const limit = concurrencyLimit({
  limit: 1,
  queueLimit: 20,
  queueTimeout: 400,
  maxHold: 1500,
  // Replaces the default warning.
  observer: { leaked: () => {} },
  skip: (c) => c.req.path === '/stats' || c.req.path === '/misuse',
});

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const app = new Hono().use(limit);
app.get('/work/:ms', async (c) => {
  await pause(Number(c.req.param('ms')));
  return c.text(`waited ${c.var.admission.waited}`);
});
app.get('/signal', async (c) => {
  const signal = c.var.admission.permit?.signal;
  signal?.addEventListener('abort', () => {});
  await pause(3000);
  return c.text(`${signal?.aborted}`);
});
app.onError((error, c) => c.text(error.message, 500));
app.get('/hung', () => new Promise<Response>(() => {}));
app.get('/throws', () => {
  throw new Error('broken');
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
app.get('/stats', (c) => {
  const { inflight, queued, withdrawn, admitted, leaked } = limit.stats();
  return c.json({ inflight, queued, withdrawn, admitted, leaked });
});
/** Responds with the error for the options in the query. */
app.get('/misuse', (c) => {
  try {
    concurrencyLimit(JSON.parse(c.req.query('options') ?? '{}'));
    return c.json({});
  } catch (error) {
    const { code, option, message } = error as { code?: string; option?: string; message: string };
    return c.json({ code, option, message });
  }
});

export default app;
