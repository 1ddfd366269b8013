// A gateway in front of a model provider, as an app of Hono.
import { ReadableStream } from 'node:stream/web';
import { concurrencyLimit, type Rejection } from '@headgate/hono';
import { serve } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { register } from 'prom-client';
import { type Call, callOf, paths } from './call.ts';
import { closeLimits, fallback, maxHold, tokens, upstream } from './limits.ts';
import { ask, failure } from './relay.ts';

type Env = { Variables: { call: Call } };

const app = new Hono<Env>();
const port = Number(process.env.PORT ?? 3000);

const limit = concurrencyLimit<Env>({
  limits: [{ limiter: tokens, weight: (c) => c.var.call.estimate }, { limiter: upstream }],
  queueTimeout: 10_000,
  maxHold,
  fairBy: (c) => c.var.call.tenant.id,
  priority: (c) => c.var.call.priority,
  onReject: (rejection, c, next) => (c.var.call.degrade() ? next() : refuse(rejection, c)),
});

/** Admits rejected requests to the fallback model. */
const degraded = concurrencyLimit<Env>({
  limiter: fallback,
  maxHold,
  weight: (c) => c.var.call.estimate,
  skip: (c) => c.var.call.limit === 'tokens',
  onReject: refuse,
});

function refuse(rejection: Rejection, c: Context<Env>): Response {
  const { status, headers, body } = c.var.call.refusal(rejection);
  return new Response(body, { status, headers });
}

app.get('/stats', (c) => c.json({ limit: limit.stats(), degraded: degraded.stats() }));

app.get('/metrics', async (c) => c.text(await register.metrics()));

const authenticate: MiddlewareHandler<Env> = async (c, next) => {
  const body = await c.req.json().catch(() => ({})); // the provider refuses what is no JSON
  const call = callOf(c.req.path, body ?? {}, (name) => c.req.header(name));
  if (call === undefined) return c.json({ error: { message: 'Unknown API key' } }, 401);
  c.set('call', call);
  await next();
};

// The weight depends on the body, so it is parsed before the limit: bound its size.
const maxBody = bodyLimit({ maxSize: 1_000_000 });

for (const path of paths) {
  app.post(path, maxBody, authenticate, limit, degraded, async (c) => {
    const { call, admission } = c.var;
    if (admission.permit === undefined) throw new Error('no limit applies');
    const { status, headers, body } = await ask(call, admission.permit);
    // The permit is held until the body has ended.
    return new Response(ReadableStream.from(body), { status, headers });
  });
}

app.onError((error, c) => {
  const { status, body } = failure(error);
  return c.json(body, status as 502);
});

const server = serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`));

process.once('SIGTERM', async () => {
  server.close();
  await limit.close({ timeout: 10_000 });
  await closeLimits();
});
