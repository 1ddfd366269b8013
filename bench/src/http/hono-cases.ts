import type { MiddlewareHandler } from 'hono';
import { type Env, host } from '../hosts/hono.ts';
import { commonCases, optionsOf, serving } from './common-cases.ts';
import type { LimitedSituation, Serve } from './situation.ts';

const serve = serving(host);

function handWritten({ limit, queueLimit }: LimitedSituation): MiddlewareHandler<Env> {
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
  situation: LimitedSituation,
  spans: boolean,
): Promise<MiddlewareHandler<Env>> {
  const { requestSpans, spansFor } = await import('./instruments.ts');
  const { middleware, handle } = await host.limit(optionsOf(situation));
  if (spans) spansFor(handle);
  const within = requestSpans();
  return (c, next) => within(() => middleware(c, next)) as ReturnType<typeof middleware>;
}

export const cases: Record<string, Serve> = {
  ...commonCases(host),
  'hand-written': serve(handWritten),
  'headgate with Prometheus': serve(async (situation) => {
    const { prometheusFor } = await import('./instruments.ts');
    const { middleware, handle } = await host.limit(optionsOf(situation));
    prometheusFor(handle);
    return middleware;
  }),
  'headgate, traced': serve((situation) => traced(situation, false)),
  'headgate, traced with spans': serve((situation) => traced(situation, true)),
  'hono-rate-limiter': serve(async () => {
    const { rateLimiter } = await import('hono-rate-limiter');
    return rateLimiter({ windowMs: 3_600_000, limit: 1e9, keyGenerator: () => 'all' });
  }),
};
