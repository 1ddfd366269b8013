import { createServer } from 'node:http';
import Koa, { type Context, type Middleware } from 'koa';
import { asItIs, type Host, holdPath, portOf } from './host.ts';

export const host: Host<Middleware, Context> = {
  listen({ handle, middleware, inFront = asItIs }) {
    const app = new Koa();
    if (middleware) app.use(middleware);
    app.use(async (ctx) => {
      if (ctx.path === holdPath) await new Promise(() => {});
      ctx.body = await handle();
    });
    return portOf(createServer(inFront(app.callback())));
  },

  async limit(options) {
    const { concurrencyLimit } = await import('@headgate/koa');
    const limit = concurrencyLimit(options as Parameters<typeof concurrencyLimit>[0]);
    return { middleware: limit as unknown as Middleware, handle: limit };
  },

  header: (ctx, name) => ctx.headers[name] as string | undefined,
  refuse: (ctx) => {
    ctx.status = 503;
    ctx.body = null;
    ctx.status = 503;
    ctx.set('Retry-After', '1');
  },
};
