import type { Rejection } from '@headgate/core';
import {
  type Admission,
  type Handle,
  HttpGate,
  type HttpOptions,
  NodeClient,
  type NodeResponse,
  type Visit,
  withHandle,
} from '@headgate/core/http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { express } from './framework.ts';

/** Where the handler finds its admission: `res.locals.admission`. */
export interface AdmissionLocals {
  admission: Admission;
}

type Reply = Response<unknown, AdmissionLocals>;

/** May answer, or call `next` to let the handler serve something cheaper. */
type OnReject = [req: Request, res: Reply, next: NextFunction];

export type ConcurrencyLimitOptions = HttpOptions<Request, OnReject, unknown> & {
  /**
   * With `onDisconnect: 'wait'`: `app.use` does not learn when a handler is done whose client has gone. Its place is held
   * until it touches the response, or for so many milliseconds; Infinity is allowed. Default: 30,000.
   */
  abandonAfter?: number | undefined;
};

// biome-ignore lint/suspicious/noExplicitAny: the parameters that a route's path gives its handlers
type Handler<P, Locals extends Record<string, any>> = (
  req: Request<P>,
  res: Response<unknown, Locals & AdmissionLocals>,
  next: NextFunction,
) => unknown;

export interface ConcurrencyLimit
  // biome-ignore lint/suspicious/noExplicitAny: fits a route of any parameters
  extends RequestHandler<any, any, any, any, AdmissionLocals>,
    Handle {
  /** Limits one handler, and holds the permit until it has settled and the response is over. */
  wrap<P>(handler: Handler<P, AdmissionLocals>): RequestHandler<P, unknown, unknown, never, AdmissionLocals>;
}

/**
 * Limits how many requests are handled at once. What cannot be admitted waits in a short line or is turned away
 * with 503 and `Retry-After`.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const http = new HttpGate<Request>(options, express);

  function limit(req: Request, res: Reply, next: NextFunction): void {
    pass(req, res, next, next);
  }

  /** Calls `proceed` where the handler may run, with the visit if there is one. */
  function pass(req: Request, res: Reply, next: NextFunction, proceed: (visit?: Visit) => void): void {
    let visit: Visit | undefined;
    try {
      visit = http.enter(req, NodeClient.of(req, res));
    } catch (error) {
      return next(error);
    }
  }

  return withHandle(Object.assign(limit, {}), http) as ConcurrencyLimit;
}
