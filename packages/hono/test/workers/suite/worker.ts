import { Readable } from 'node:stream';
import type { Rejection } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/hono';
import {
  adapted,
  adapterSuite,
  type FrameworkDriver,
  type OnReject,
  type Step,
  type SuiteContext,
} from '@headgate/test-suite';
import { type Context, Hono, type Next } from 'hono';
import { appAt, type Incoming } from './http.ts';
import { run, tests } from './vitest.ts';

const framework: FrameworkDriver<ConcurrencyLimit> = {
  name: 'Hono',
  can: { tracksHandlers: true, http2: false },

  // Workers require `maxHold`.
  limit: (options) =>
    concurrencyLimit(
      adapted({ maxHold: 600_000, ...options }, contextOf, reject, (c: Context) => c.res.status),
    ),

  listener({ steps, onError }) {
    const app = new Hono();
    add(app, steps);
    app.onError((error, c) => {
      onError(error);
      return 'getResponse' in error ? error.getResponse() : c.text('Internal Server Error', 500);
    });
    const listener = ({ request }: Incoming, context: never) => app.fetch(request, {}, context);
    return listener as never;
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
        // The test settles what the handler awaits, and meanwhile the runtime would consider the request hung.
        const alive = setInterval(() => {}, 100);
        try {
          await handle(context);
        } finally {
          clearInterval(alive);
        }
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
    incoming: undefined as never,
    outgoing: undefined as never,
    send: (status, body = '', headers = {}) => {
      response =
        body === '' ? c.body(null, status as 200, headers) : c.text(body, status as 200, headers);
    },
    stream: (body, headers = {}) => {
      response = c.body(Readable.toWeb(body) as never, 200, headers);
    },
  };
}

/** Runs the test that the path names; lists all of them at the root. */
async function runTests(request: Request): Promise<Response> {
  if (tests.length === 0) adapterSuite(framework);
  const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
  if (name === '') return Response.json(tests.map((test) => test.name));
  const test = tests.find((one) => one.name === name);
  const alive = setInterval(() => {}, 100);
  try {
    if (test === undefined) throw new Error('there is no such test');
    await run(test);
    return new Response('passed');
  } catch (error) {
    return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    clearInterval(alive);
  }
}

export default {
  async fetch(request: Request, _: unknown, context: never): Promise<Response> {
    const { port } = new URL(request.url);
    const app = appAt(Number(port));
    if (app === undefined) return runTests(request);
    return app({ request, headers: Object.fromEntries(request.headers) }, context);
  },
};
