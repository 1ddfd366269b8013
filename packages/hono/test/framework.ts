import { Readable } from 'node:stream';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/hono';
import { adapted, type Framework, type Step, type SuiteContext } from '@headgate/test-suite';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';

/** How the suite builds apps with Hono on its Node server. */
export const honoFramework: Framework<ConcurrencyLimit> = {
  name: 'Hono 4',
  can: { tracksHandlers: true, http2: true },

  limit(options) {
    const { onReject } = options;
    const rest = adapted(options, contextOf) as Parameters<typeof concurrencyLimit>[0];
    if (typeof onReject !== 'function') {
      return concurrencyLimit(onReject === undefined ? rest : { ...rest, onReject });
    }
    return concurrencyLimit({
      ...rest,
      async onReject(rejection, c, next) {
        const context = contextOf(c);
        await onReject(rejection, context, next);
        return context.response;
      },
    });
  },

  listener({ steps, onError }) {
    const app = new Hono();
    add(app, steps);
    app.onError((error, c) => {
      onError(error);
      return c.text('Internal Server Error', 500);
    });
    return getRequestListener(app.fetch) as ReturnType<typeof this.listener>;
  },
};

function add(app: Hono, steps: readonly Step<ConcurrencyLimit>[]): void {
  for (const step of steps) {
    if ('use' in step) app.use(step.use);
    else if ('mount' in step) {
      const router = new Hono();
      add(router, step.steps);
      app.route(step.mount, router);
    } else {
      const { path, method = 'GET', handle } = step;
      const handler = async (c: Context) => {
        const context = contextOf(c);
        await handle(context);
        return context.response ?? c.body(null, 404);
      };
      if (path === undefined) app.all('*', handler);
      else app.on(method, path, handler);
    }
  }
}

function contextOf(c: Context): SuiteContext & { response: Response | undefined } {
  const { incoming, outgoing } = c.env as HttpBindings;
  return {
    response: undefined,
    method: c.req.method,
    path: c.req.path,
    header: (name) => c.req.header(name),
    get admission() {
      return c.get('admission');
    },
    incoming: incoming as never,
    outgoing: outgoing as never,
    send(status, body, headers = {}) {
      const empty = body === undefined || body === '';
      this.response = empty
        ? c.body(null, status as 200, headers)
        : c.text(body, status as 200, headers);
    },
    stream(body, headers = {}) {
      this.response = c.body(Readable.toWeb(body) as ReadableStream, 200, headers);
    },
  };
}
