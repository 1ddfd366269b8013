import {
  type Admission,
  type Handle,
  HttpGate,
  type HttpOptions,
  NodeClient,
  unlimited,
  type Visit,
  withHandle,
} from '@headgate/core/http';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { framework } from './framework.ts';

/** Where the handler finds its admission: `res.locals.admission`. */
export interface AdmissionLocals {
  admission: Admission;
}

type Reply = Response<unknown, AdmissionLocals>;

export type ConcurrencyLimitOptions = HttpOptions<
  Request,
  [req: Request, res: Reply, next: NextFunction],
  unknown
> & {
  /**
   * With `onDisconnect: 'wait'`: `app.use` does not learn when a handler is done whose client has gone. Its place is
   * held until it touches the response, or for so many milliseconds; Infinity is allowed. Default: 30,000.
   */
  abandonAfter?: number | undefined;
};

type Params = Request['params'];
type Query = Request['query'];

export interface ConcurrencyLimit
  // biome-ignore lint/suspicious/noExplicitAny: as Express types bodies
  extends RequestHandler<Params, any, any, Query, AdmissionLocals>,
    Handle {
  /** Limits one handler, and holds the permit until that has settled and the response is over. */
  // biome-ignore lint/suspicious/noExplicitAny: as Express types bodies
  wrap<P = Params, ResBody = any, ReqBody = any, ReqQuery = Query>(
    handler: (
      ...args: Parameters<RequestHandler<P, ResBody, ReqBody, ReqQuery, AdmissionLocals>>
    ) => unknown,
  ): RequestHandler<P, ResBody, ReqBody, ReqQuery, AdmissionLocals>;
}

/**
 * Limits how many requests are handled at once. What cannot be admitted waits in a short line or is turned away
 * with 503 and `Retry-After`.
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const http = new HttpGate<Request>(options, framework);
  const { onReject } = options;

  function limit(req: Request, res: Reply, next: NextFunction): void {
    admit(req, res, next, next);
  }

  /** Calls `proceed` where the handler may run. */
  function admit(req: Request, res: Reply, next: NextFunction, proceed: NextFunction): void {
    let visit: Visit | undefined;
    try {
      visit = http.enter(req, NodeClient.of(req, res));
    } catch (error) {
      return next(error);
    }
    if (visit === undefined) {
      res.locals.admission ??= unlimited;
      return proceed();
    }
    const answered = conclude.bind(undefined, visit, req, res, next, proceed);
    if (visit.answered === undefined) answered();
    else visit.answered.then(answered).catch(next);
  }

  function conclude(
    visit: Visit,
    req: Request,
    res: Reply,
    next: NextFunction,
    proceed: NextFunction,
  ): void {
    if (visit.left) return;
    const { rejection } = visit;
    res.locals.admission = visit.admission;
    if (rejection === undefined) {
      for (const [name, value] of http.fields(visit)) res.append(name, value);
      proceed();
      return;
    }
    const refuse = () => {
      const { status, headers, body } = http.refuse(visit, rejection, req);
      res.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
    };
    if (onReject === undefined) refuse();
    else {
      attempt(
        () => onReject(rejection, req, res, proceed),
        next,
        (result) => result === false && refuse(),
      );
    }
  }

  function wrap(handler: (req: Request, res: Reply, next: NextFunction) => unknown) {
    return (req: Request, res: Reply, next: NextFunction) =>
      admit(req, res, next, (error?: unknown) => {
        if (error !== undefined) return next(error);
        attempt(() => {
          const work = handler(req, res, next);
          // A handler that returns nothing does not tell when it is done.
          return isPromise(work) ? NodeClient.of(req, res).during(work) : work;
        }, next);
      });
  }

  return withHandle(Object.assign(limit, { wrap }), http) as unknown as ConcurrencyLimit;
}

/** What `call` throws or rejects with goes to the app's error handling, in Express 4 too. */
function attempt(call: () => unknown, next: NextFunction, done?: (result: unknown) => void): void {
  try {
    const result = call();
    if (isPromise(result)) void result.then(done).then(undefined, next);
    else done?.(result);
  } catch (error) {
    next(error);
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined)?.then === 'function';
}
