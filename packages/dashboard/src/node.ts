import type { IncomingMessage, ServerResponse } from 'node:http';
import { HeadgateError } from '@headgate/core';
import { pathOf } from '@headgate/core/http';
import { Page } from './dashboard.ts';
import { nodeRequest, sendNode } from './node-response.ts';
import type { DashboardHandle, DashboardOptions as Options } from './options.ts';
import { checkPath, isBelow, locate } from './page-request.ts';

/** Options of `dashboard`. */
export interface DashboardOptions extends Options<IncomingMessage> {
  /** The path of the page, such as `/admin/limits`, without a slash at its end. */
  path: string;
}

type Listener = (req: IncomingMessage, res: ServerResponse) => unknown;

/** Adds the page to a listener, which still receives all other requests. */
export type Dashboard = ((listener: Listener) => Listener) & DashboardHandle;

/**
 * Serves a live page of these limits: `createServer(page(limit(handler)))`, where `page` is `dashboard({ path:
 * '/admin/limits', limits })`. If `authorize` fails, the response is 500, and the error is printed.
 *
 * @throws HeadgateError for an unknown or invalid option. The returned function throws one for a value that is not a
 * listener.
 */
export function dashboard(options: DashboardOptions): Dashboard {
  const page = new Page(options, ['path']);
  const mount = checkPath(options.path);
  const depth = mount.split('/').length - 1;
  const serve = async (req: IncomingMessage, res: ServerResponse, path: string) => {
    const request = { ...nodeRequest(req, undefined), ...locate(path, depth) };
    sendNode(res, await page.respond(request, req));
  };
  const around = (listener: Listener): Listener => {
    if (typeof listener !== 'function') throw misplaced();
    return (req, res) => {
      const path = pathOf(req.url ?? '');
      if (!isBelow(path, mount)) return listener(req, res);
      serve(req, res, path).catch((error) => {
        // A server has no error handling, and a rejection would end the process.
        console.error(error);
        if (!res.headersSent) res.writeHead(500).end();
      });
    };
  };
  return Object.assign(around, { close: () => page.close() });
}

/**
 * Thrown if a server calls the result of `dashboard()` for a request, which would otherwise wait for a response
 * forever.
 */
function misplaced(): HeadgateError {
  return new HeadgateError(
    'ERR_HEADGATE_MIDDLEWARE',
    'the dashboard of @headgate/dashboard/node needs a listener: createServer(page(listener))',
  );
}
