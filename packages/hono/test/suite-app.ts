import { Readable } from 'node:stream';
import type { Rejection } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/hono';
import {
  adapted,
  type OnReject,
  type Step,
  type SuiteApp,
  type SuiteContext,
  type SuiteOptions,
} from '@headgate/test-suite';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Hono, Next } from 'hono';

/** Makes the adapter's middleware from the suite's options. */
export function honoLimit(options: SuiteOptions): ConcurrencyLimit {
  return concurrencyLimit(adapted(options, contextOf, reject, (c: Context) => c.res.status));
}

/** Builds the suite's app with a version of Hono. */
export function honoApp(
  { steps, onError }: SuiteApp<ConcurrencyLimit>,
  Version: typeof Hono,
): Hono {
  const app = new Version();
  add(app, steps, Version);
  app.onError((error, c) => {
    onError(error);
    // As Hono does by default.
    return 'getResponse' in error ? error.getResponse() : c.text('Internal Server Error', 500);
  });
  return app;
}

function add(app: Hono, steps: readonly Step<ConcurrencyLimit>[], Version: typeof Hono): void {
  for (const step of steps) {
    if ('use' in step) app.use(step.use);
    else if ('mount' in step) {
      const router = new Version();
      add(router, step.steps, Version);
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

function reject(onReject: OnReject) {
  return async (rejection: Rejection, c: Context, next: Next) => {
    const context = contextOf(c);
    const result = await onReject(rejection, context, next);
    return result === false ? false : context.response;
  };
}

function contextOf(c: Context): SuiteContext & { readonly response: Response | undefined } {
  const { incoming, outgoing } = (c.env ?? {}) as HttpBindings;
  let response: Response | undefined;
  return {
    get response() {
      return response;
    },
    method: c.req.method,
    path: c.req.path,
    header: (name) => c.req.header(name),
    body: () => c.req.text(),
    get admission() {
      return c.get('admission');
    },
    incoming: incoming as never,
    outgoing: outgoing as never,
    send: (status, body = '', headers = {}) => {
      response =
        body === '' ? c.body(null, status as 200, headers) : c.text(body, status as 200, headers);
    },
    stream: (body, headers = {}) => {
      response = c.body(Readable.toWeb(body) as ReadableStream, 200, headers);
    },
  };
}
