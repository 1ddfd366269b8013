import type { RequestHandler } from 'express';
import { host } from '../hosts/express.ts';
import { commonCases, optionsOf, serving } from './common-cases.ts';
import type { LimitedSituation, Serve } from './situation.ts';

const serve = serving(host);

/** The simplest limiter: a counter, an array as the queue, and 503. */
function handWritten({ limit, queueLimit }: LimitedSituation): RequestHandler {
  const queue: Array<() => void> = [];
  let inflight = 0;
  const done = () => {
    inflight--;
    queue.shift()?.();
  };
  return (_req, res, next) => {
    const start = () => {
      // A response that is already closed emits no further `close`.
      if (res.destroyed) return queue.shift()?.();
      inflight++;
      res.on('close', done);
      next();
    };
    if (inflight < limit) start();
    else if (queue.length < queueLimit) queue.push(start);
    else res.writeHead(503, { 'Retry-After': '1' }).end();
  };
}

/** In a server that traces its requests, with or without spans for those that wait. */
async function traced(situation: LimitedSituation, spans: boolean): Promise<RequestHandler> {
  const { requestSpans, spansFor } = await import('./instruments.ts');
  const { middleware, handle } = await host.limit(optionsOf(situation));
  if (spans) spansFor(handle);
  const within = requestSpans();
  return (req, res, next) => within(() => middleware(req, res, next));
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
  'express-queue': serve(async ({ limit, queueLimit }) => {
    const { default: expressQueue } = await import('express-queue');
    return expressQueue({ activeLimit: limit, queuedLimit: queueLimit });
  }),
  'express-rate-limit': serve(async ({ held }) => {
    const { rateLimit } = await import('express-rate-limit');
    return rateLimit({ windowMs: 3_600_000, limit: held ? 1 : 1e9 });
  }),
  'overload-protection': serve(async () => {
    const { default: protect } = await import('overload-protection');
    // With this threshold it never rejects: measures its cost without a limit in effect.
    return protect('express', { production: true, maxEventLoopDelay: 10_000 });
  }),
};
