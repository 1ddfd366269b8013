import type { IncomingMessage } from 'node:http';
import { type Admission, type HttpHandle, warnBehindRoutes, withHandle } from '@headgate/core/http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import {
  type AdmissionLocals,
  type ConcurrencyLimitOptions,
  type Handler,
  LimitMiddleware,
  type Step,
} from './limit-middleware.ts';
import { isBehindRoutes } from './registration.ts';

export * from '@headgate/core/app';
export type { AdmissionLocals, ConcurrencyLimitOptions } from './limit-middleware.ts';
export { rejectedErrors } from './rejected-errors.ts';

declare global {
  namespace Express {
    /** The type of `app.locals`, and of `locals` in responses that no limit has seen. */
    interface Locals {
      /** The result of the limit, once the request has reached it. */
      admission?: Admission | undefined;
    }
  }
}

type Params = Request['params'];
type Query = Request['query'];

export interface ConcurrencyLimit extends HttpHandle {
  /** Also accepts responses with untyped `locals`, as in a list of `RequestHandler`. */
  (req: IncomingMessage, res: Response, next: NextFunction): void;
  // TypeScript infers types from the last signature: the types of `locals`, but not of the path's parameters.
  // biome-ignore lint/suspicious/noExplicitAny: as Express types bodies
  (req: IncomingMessage, res: Response<any, AdmissionLocals>, next: NextFunction): void;
  /** Limits one handler and holds the permit until the handler has settled and the response has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: as Express types bodies
  wrap<P = Params, ResBody = any, ReqBody = any, ReqQuery = Query>(
    handler: (
      ...args: Parameters<RequestHandler<P, ResBody, ReqBody, ReqQuery, AdmissionLocals>>
    ) => unknown,
  ): RequestHandler<P, ResBody, ReqBody, ReqQuery, AdmissionLocals>;
}

/**
 * Limits how many requests are handled at once. Requests beyond the limit wait in a short queue or are rejected with
 * 503 and `Retry-After`. Without options, the limit adapts to the server; `limit` sets a fixed one.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions = {}): ConcurrencyLimit {
  const middleware = new LimitMiddleware(options);
  let isChecked = false;
  const limit: Step = (req, res, next) => {
    if (!isChecked && req.app !== undefined) {
      isChecked = true;
      if (isBehindRoutes(req.app, limit)) warnBehindRoutes();
    }
    middleware.admit(req, res, next, next);
  };
  const wrap = (handler: Handler): Step => middleware.wrap(handler);
  return withHandle(Object.assign(limit, { wrap }), middleware.http);
}
