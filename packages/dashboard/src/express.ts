import { pathOf } from '@headgate/core/http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Page } from './dashboard.ts';
import { nodeRequest, sendNode } from './node-response.ts';
import type { DashboardHandle, DashboardOptions as Options } from './options.ts';
import { locate } from './page-request.ts';

/** Options of `dashboard`. */
export type DashboardOptions = Options<Request>;

/** An Express middleware that serves the page. */
export type Dashboard = RequestHandler & DashboardHandle;

/**
 * Serves a live page of these limits: `app.use('/admin/limits', dashboard({ limits }))`. Register it before the limits
 * themselves.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function dashboard(options: DashboardOptions): Dashboard {
  const page = new Page(options);
  const serve = async (req: Request, res: Response) => {
    const depth = req.baseUrl.split('/').length - 1;
    const response = await page.respond(
      { ...nodeRequest(req, req.body), ...locate(pathOf(req.originalUrl), depth) },
      req,
    );
    sendNode(res, response);
  };
  const middleware = (req: Request, res: Response, next: NextFunction) => {
    serve(req, res).catch(next);
  };
  return Object.assign(middleware, { close: () => page.close() });
}
