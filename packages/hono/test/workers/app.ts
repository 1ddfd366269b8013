import { concurrencyLimit } from '@headgate/hono';
import { type ExecutionContext, Hono } from 'hono';

const limit = concurrencyLimit({
  limit: 1,
  queueLimit: 20,
  queueTimeout: 20_000,
  maxHold: 20_000,
  skip: (c) => c.req.path === '/stats' || c.req.path.startsWith('/impatient/'),
});
const impatient = concurrencyLimit({
  limit: 1,
  queueLimit: 20,
  queueTimeout: 400,
  maxHold: 20_000,
});

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const app = new Hono().use('/impatient/*', impatient).use(limit);
app.get('/work/:ms', async (c) => {
  await pause(Number(c.req.param('ms')));
  return c.text(`waited ${c.var.admission.waited}`);
});
app.onError((error, c) => c.text(error.message, 500));
app.get('/throws', () => {
  throw new Error('broken');
});
app.on('GET', ['/stream', '/impatient/stream'], (c) => {
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
  const { holders, queued, withdrawn, admitted, leaked } = limit.stats();
  return c.json({ holders, queued, withdrawn, admitted, leaked });
});
const noWaitUntil = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };

export default {
  fetch(request: Request, env: unknown, context: ExecutionContext): Response | Promise<Response> {
    const dying = new URL(request.url).searchParams.has('dies');
    if (!dying) return app.fetch(request, env as object, context);
    // The runtime ends a request that has been answered, with all its timers and continuations.
    void app.fetch(request, env as object, noWaitUntil);
    return pause(20).then(() => new Response('gone'));
  },
};
