import { text } from 'node:stream/consumers';
import type { Rejection } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/koa';
import {
  adapted,
  type FrameworkDriver,
  type OnReject,
  type Step,
  type SuiteContext,
} from '@headgate/test-suite';
import Router from '@koa/router';
import type Koa from 'koa';
import type { Context, Middleware, Next } from 'koa';

/** Builds the suite's apps with either version of Koa. */
export function koaFramework(name: string, Version: typeof Koa): FrameworkDriver<ConcurrencyLimit> {
  return {
    name,
    can: { tracksHandlers: true, http2: true },

    limit: (options) =>
      concurrencyLimit(adapted(options, contextOf, reject, (ctx: Context) => ctx.status)),

    listener({ steps, onError }) {
      const app = new Version();
      app.on('error', (error) => {
        // On Deno, a response whose client disconnects has this error, which Koa reports.
        if (error.code !== 'ECONNRESET') onError(error);
      });
      add(app, steps);
      return app.callback();
    },
  };
}

function add(app: Koa | Router, steps: readonly Step<ConcurrencyLimit>[]): void {
  for (const step of steps) (app as Koa).use(middlewareOf(step));
}

function middlewareOf(step: Step<ConcurrencyLimit>): Middleware {
  if ('use' in step) return step.use as Middleware;
  const router = new Router();
  if ('mount' in step) {
    router.prefix(step.mount);
    add(router, step.steps);
  } else {
    const { path, method = 'GET', handle } = step;
    const handler = (ctx: Context) => handle(contextOf(ctx));
    if (path === undefined) return handler as Middleware;
    router[method === 'GET' ? 'get' : 'post'](path, handler as never);
  }
  return router.routes() as Middleware;
}

function reject(onReject: OnReject) {
  return (rejection: Rejection, ctx: Context, next: Next) =>
    onReject(rejection, contextOf(ctx), next);
}

function contextOf(ctx: Context): SuiteContext {
  return {
    method: ctx.method,
    path: ctx.originalUrl.split('?', 1)[0] as string,
    header: (name) => ctx.get(name) || undefined,
    body: () => text(ctx.req),
    get admission() {
      return ctx.state.admission;
    },
    incoming: ctx.req,
    outgoing: ctx.res,
    send: (status, body = '', headers = {}) => {
      ctx.status = status;
      ctx.set(headers);
      ctx.body = body;
    },
    stream: (body, headers = {}) => {
      ctx.set(headers);
      ctx.body = body;
    },
  };
}
