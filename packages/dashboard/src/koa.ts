import type { Context, Middleware, Next } from 'koa';
import { Page } from './dashboard.ts';
import { nodeRequest, sendNode } from './node-response.ts';
import type { DashboardHandle, DashboardOptions as Options } from './options.ts';
import { checkPath, isBelow, locate } from './page-request.ts';

/** Options of `dashboard`. */
export interface DashboardOptions extends Options<Context> {
  /**
   * The path of the page, such as `/admin/limits`, without a slash at its end. Koa itself does not mount middleware.
   */
  path: string;
}

/** A Koa middleware that serves the page. */
export type Dashboard = Middleware & DashboardHandle;

/**
 * Serves a live page of these limits: `app.use(dashboard({ path: '/admin/limits', limits }))`. Register it before the
 * limits themselves.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function dashboard(options: DashboardOptions): Dashboard {
  const page = new Page(options, ['path']);
  const path = checkPath(options.path);
  const depth = path.split('/').length - 1;
  const middleware = async (ctx: Context, next: Next) => {
    if (!isBelow(ctx.path, path)) return next();
    const response = await page.respond(
      { ...nodeRequest(ctx.req, bodyOf(ctx)), ...locate(ctx.path, depth) },
      ctx,
    );
    if (typeof response.body === 'string') {
      ctx.status = response.status;
      ctx.body = response.body;
      ctx.set(response.headers);
    } else {
      // Koa must not respond, since a stream of events has its own end.
      ctx.respond = false;
      sendNode(ctx.res, response);
    }
  };
  return Object.assign(middleware, { close: () => page.close() });
}

/** Set by koa-bodyparser and others. */
function bodyOf({ request }: Context): unknown {
  return (request as { body?: unknown }).body;
}
