import { type HttpBindings, serve as listen } from '@hono/node-server';
import { Hono, type MiddlewareHandler } from 'hono';
import { answer, type Serve, type Situation } from './situation.ts';

type Env = { Bindings: HttpBindings };
type Create = (situation: Situation) => MiddlewareHandler<Env> | Promise<MiddlewareHandler<Env>>;

const serve =
  (create?: Create): Serve =>
  async (situation) => {
    const app = new Hono<Env>();
    if (create) app.use(await create(situation));
    if (situation.takesATurn) {
      app.get('/', async (c) => {
        await new Promise(setImmediate);
        return c.json(answer);
      });
    } else app.get('/', (c) => c.json(answer));
    return new Promise((resolve) => {
      listen({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
    });
  };

function handWritten({ limit, queueLimit }: Situation): MiddlewareHandler<Env> {
  const queue: Array<() => void> = [];
  let inflight = 0;
  const done = () => {
    inflight--;
    queue.shift()?.();
  };
  return async (c, next) => {
    if (inflight >= limit) {
      if (queue.length >= queueLimit) return c.text('', 503, { 'Retry-After': '1' });
      await new Promise<void>((resolve) => queue.push(resolve));
      // A response that is already closed emits no further `close`.
      if (c.env.outgoing.destroyed) {
        queue.shift()?.();
        return c.body(null);
      }
    }
    inflight++;
    c.env.outgoing.on('close', done);
    return next();
  };
}

/** In a server that traces its requests, with or without spans for those that wait. */
async function traced(
  { limit, queueLimit }: Situation,
  spans: boolean,
): Promise<MiddlewareHandler<Env>> {
  const { concurrencyLimit } = await import('@headgate/hono');
  const { requestSpans, spansFor } = await import('./instruments.ts');
  const middleware = concurrencyLimit({ limit, queueLimit });
  if (spans) spansFor(middleware);
  const within = requestSpans();
  const handle = middleware as unknown as MiddlewareHandler<Env>;
  return (c, next) => within(() => handle(c, next)) as ReturnType<typeof handle>;
}

export const cases: Record<string, Serve> = {
  bare: serve(),
  'hand-written': serve(handWritten),
  headgate: serve(async ({ limit, queueLimit }) => {
    const { concurrencyLimit } = await import('@headgate/hono');
    return concurrencyLimit({ limit, queueLimit }) as unknown as MiddlewareHandler<Env>;
  }),
  'headgate with Prometheus': serve(async ({ limit, queueLimit }) => {
    const { concurrencyLimit } = await import('@headgate/hono');
    const { prometheusFor } = await import('./instruments.ts');
    const middleware = concurrencyLimit({ limit, queueLimit });
    prometheusFor(middleware);
    return middleware as unknown as MiddlewareHandler<Env>;
  }),
  'headgate, traced': serve((situation) => traced(situation, false)),
  'headgate, traced with spans': serve((situation) => traced(situation, true)),
  'hono-rate-limiter': serve(async () => {
    const { rateLimiter } = await import('hono-rate-limiter');
    return rateLimiter({ windowMs: 3_600_000, limit: 1e9, keyGenerator: () => 'all' });
  }),
};
