import { createServer } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { asItIs, type Host, holdPath, portOf } from './host.ts';

export type Env = { Bindings: HttpBindings };

export const host: Host<MiddlewareHandler<Env>, Context<Env>> = {
  listen({ handle, middleware, inFront = asItIs }) {
    const app = new Hono<Env>();
    if (middleware) app.use(middleware);
    app.get(holdPath, () => new Promise<Response>(() => {}));
    app.get('/', (c): Response | Promise<Response> => {
      const body = handle();
      return body instanceof Promise ? body.then((value) => c.json(value)) : c.json(body as object);
    });
    return portOf(createServer(inFront(getRequestListener(app.fetch))));
  },

  async limit(options) {
    const { concurrencyLimit } = await import('@headgate/hono');
    const limit = concurrencyLimit(options);
    return { middleware: limit as unknown as MiddlewareHandler<Env>, handle: limit };
  },

  header: (c, name) => c.req.header(name),
  refuse: async (c) => c.body(null, 503, { 'Retry-After': '1' }),
};
