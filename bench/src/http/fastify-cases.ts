import { host, type Register } from '../hosts/fastify.ts';
import { commonCases, serving } from './common-cases.ts';
import type { LimitedSituation, Serve } from './situation.ts';

const serve = serving(host);

function handWritten({ limit, queueLimit }: LimitedSituation): Register {
  const queue: Array<() => void> = [];
  let inflight = 0;
  const done = () => {
    inflight--;
    queue.shift()?.();
  };
  return (app) =>
    app.addHook('onRequest', (_request, reply, next) => {
      const admit = () => {
        // A response that is already closed emits no further `close`.
        if (reply.raw.destroyed) return queue.shift()?.();
        inflight++;
        reply.raw.on('close', done);
        next();
      };
      if (inflight < limit) return admit();
      if (queue.length < queueLimit) return queue.push(admit);
      reply.code(503).header('Retry-After', '1').send();
    });
}

export const cases: Record<string, Serve> = {
  ...commonCases(host),
  'hand-written': serve(handWritten),
  'under-pressure': serve(async () => {
    const { default: underPressure } = await import('@fastify/under-pressure');
    // With this threshold it never rejects: measures its cost without a limit in effect.
    return (app) => app.register(underPressure, { maxEventLoopDelay: 10_000 });
  }),
  'rate-limit': serve(async () => {
    const { default: rateLimit } = await import('@fastify/rate-limit');
    return (app) => app.register(rateLimit, { max: 1e9, timeWindow: 3_600_000 });
  }),
};
