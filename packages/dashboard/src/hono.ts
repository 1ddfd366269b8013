import { HeadgateError } from '@headgate/core';
import type { Context, Env, MiddlewareHandler } from 'hono';
import { Page } from './dashboard.ts';
import type { DashboardHandle, DashboardOptions as Options } from './options.ts';
import { isAmbiguous, locate } from './page-request.ts';
import { webResponse } from './web-response.ts';

/** Options of `dashboard`. */
export type DashboardOptions<E extends Env = Env> = Options<Context<E>>;

/** A Hono middleware that serves the page. */
export type Dashboard = MiddlewareHandler & DashboardHandle;

/** The properties that `@hono/node-server` adds to the context. */
interface NodeEnv {
  readonly incoming?: { readonly url?: string; readonly rawHeaders?: readonly string[] };
  readonly outgoing?: { destroy(): unknown };
}

/**
 * Serves a live page of these limits: `app.use('/admin/limits/*', dashboard({ limits }))`. Register it before the
 * limits themselves. It needs Node's APIs.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function dashboard<E extends Env = Env>(options: DashboardOptions<E>): Dashboard {
  const page = new Page(options);
  const middleware: MiddlewareHandler = async (c) => {
    const { incoming, outgoing } = (c.env ?? {}) as NodeEnv;
    const response = await page.respond(
      {
        method: c.req.method,
        ...locate(new URL(c.req.url).pathname, depthOf(c.req.routePath)),
        query: (name) => c.req.query(name),
        header: (name) => c.req.header(name),
        isAmbiguous: isAmbiguous(incoming ?? {}),
        body: () => c.req.text(),
      },
      c as Context<E>,
    );
    return webResponse(response, c.req.method, outgoing && (() => void outgoing.destroy()));
  };
  return Object.assign(middleware, { close: () => page.close() });
}

/** The number of segments before the wildcard. */
function depthOf(pattern: string): number {
  if (pattern.endsWith('/*')) return pattern.split('/').length - 2;
  throw new HeadgateError(
    'ERR_HEADGATE_MIDDLEWARE',
    `the dashboard must be mounted at a path that ends in /*, as in app.use('/admin/limits/*', dashboard({ limits })), got "${pattern}"`,
  );
}
