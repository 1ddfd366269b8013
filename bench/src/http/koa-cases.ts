import type { Middleware } from 'koa';
import { host } from '../hosts/koa.ts';
import { commonCases, serving } from './common-cases.ts';
import type { LimitedSituation, Serve } from './situation.ts';

const serve = serving(host);

function handWritten({ limit, queueLimit }: LimitedSituation): Middleware {
  const queue: Array<() => void> = [];
  let inflight = 0;
  const done = () => {
    inflight--;
    queue.shift()?.();
  };
  return async (ctx, next) => {
    if (inflight >= limit) {
      if (queue.length >= queueLimit) {
        ctx.status = 503;
        ctx.set('Retry-After', '1');
        return;
      }
      await new Promise<void>((resolve) => queue.push(resolve));
      // A response that is already closed emits no further `close`.
      if (ctx.res.destroyed) return queue.shift()?.();
    }
    inflight++;
    ctx.res.on('close', done);
    return next();
  };
}

export const cases: Record<string, Serve> = {
  ...commonCases(host),
  'hand-written': serve(handWritten),
  'koa-ratelimit': serve(async () => {
    const { default: ratelimit } = await import('koa-ratelimit');
    return ratelimit({ driver: 'memory', db: new Map(), duration: 3_600_000, max: 1e9 });
  }),
  'overload-protection': serve(async () => {
    const { default: protect } = await import('overload-protection');
    // With this threshold it never rejects: measures its cost without a limit in effect.
    return protect('koa', { production: true, maxEventLoopDelay: 10_000 });
  }),
};
