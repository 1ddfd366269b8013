import type { AddressInfo } from 'node:net';
import express, { type RequestHandler, type Response } from 'express';
import { answer, holdPath, type Serve, type Situation } from './situation.ts';

type Create = (situation: Situation) => RequestHandler | Promise<RequestHandler>;

const serve =
  (create?: Create): Serve =>
  async (situation) => {
    const app = express();
    if (create) app.use(await create(situation));
    app.get(holdPath, () => {});
    const respond = (res: Response) => void res.json(answer);
    app.get('/', (_req, res) => {
      if (situation.takesATurn) setImmediate(respond, res);
      else respond(res);
    });
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  };

/** The simplest limiter: a counter, an array as the queue, and 503. */
function handWritten({ limit, queueLimit }: Situation): RequestHandler {
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
async function traced({ limit, queueLimit }: Situation, spans: boolean): Promise<RequestHandler> {
  const { concurrencyLimit } = await import('@headgate/express');
  const { requestSpans, spansFor } = await import('./instruments.ts');
  const middleware = concurrencyLimit({ limit, queueLimit });
  if (spans) spansFor(middleware);
  const within = requestSpans();
  return (req, res, next) => within(() => middleware(req, res, next));
}

export const cases: Record<string, Serve> = {
  bare: serve(),
  'hand-written': serve(handWritten),
  headgate: serve(async ({ limit, queueLimit }) => {
    const { concurrencyLimit } = await import('@headgate/express');
    return concurrencyLimit({ limit, queueLimit });
  }),
  'headgate with Prometheus': serve(async ({ limit, queueLimit }) => {
    const { concurrencyLimit } = await import('@headgate/express');
    const { prometheusFor } = await import('./instruments.ts');
    const middleware = concurrencyLimit({ limit, queueLimit });
    prometheusFor(middleware);
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
