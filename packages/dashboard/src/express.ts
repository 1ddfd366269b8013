import { pathOf } from '@headgate/core/http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Dashboard } from './dashboard.ts';
import { nodeRequest, sendNode } from './node-response.ts';
import type { DashboardHandle, DashboardOptions as Options } from './options.ts';
import { locate } from './page-request.ts';

export type { OperatorBounds } from './bounds.ts';
export type { Access, LimitSource } from './options.ts';

export type DashboardOptions = Options<Request>;

export type DashboardMiddleware = RequestHandler & DashboardHandle;

/**
 * Serves a live page of these limits: `app.use('/admin/limits', dashboard({ limits }))`, before the limits themselves.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function dashboard(options: DashboardOptions): DashboardMiddleware {
  const page = new Dashboard(options);
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
