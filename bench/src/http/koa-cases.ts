import type { AddressInfo } from 'node:net';
import Koa, { type Middleware } from 'koa';
import { answer, type Serve, type Situation } from './situation.ts';

type Create = (situation: Situation) => Middleware | Promise<Middleware>;

const serve =
  (create?: Create): Serve =>
  async (situation) => {
    const app = new Koa();
    if (create) app.use(await create(situation));
    app.use(async (ctx) => {
      if (situation.takesATurn) await new Promise(setImmediate);
      ctx.body = answer;
    });
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return (server.address() as AddressInfo).port;
  };

function handWritten({ limit, queueLimit }: Situation): Middleware {
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
  bare: serve(),
  'hand-written': serve(handWritten),
  headgate: serve(async ({ limit, queueLimit }) => {
    const { concurrencyLimit } = await import('@headgate/koa');
    return concurrencyLimit({ limit, queueLimit }) as unknown as Middleware;
  }),
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
