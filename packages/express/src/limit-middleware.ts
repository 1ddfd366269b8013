import {
  type Admission,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  invalid,
  isThenable,
  misplaced,
  NodeExchange,
  reasonOf,
} from '@headgate/core/http';
import type { NextFunction, Request, Response } from 'express';
import { framework } from './framework.ts';

/** The handler reads its admission from `res.locals.admission`. */
export interface AdmissionLocals {
  /** The permit, or why there is none. */
  admission: Admission;
}

export type Reply = Response<unknown, AdmissionLocals>;

/** Options of `concurrencyLimit`, with functions of an Express request and its response. */
export type ConcurrencyLimitOptions = HttpOptions<
  Request,
  [req: Request, res: Reply, next: NextFunction],
  unknown,
  Reply
>;

export type Step = (req: Request, res: Reply, next: NextFunction) => void;
export type Handler = (req: Request, res: Reply, next: NextFunction) => unknown;

/** Runs Express requests through the gate: calls the next handler, or responds with the rejection. */
export class LimitMiddleware {
  readonly http: HttpGate<Request>;
  readonly #onReject: ConcurrencyLimitOptions['onReject'];

  constructor(options: ConcurrencyLimitOptions) {
    this.http = new HttpGate<Request>(options, framework);
    this.#onReject = options.onReject;
  }

  /** Calls `proceed` once the request is admitted. */
  admit(req: Request, res: Reply, next: NextFunction, proceed: NextFunction): void {
    if (typeof next !== 'function' || res.locals === undefined) {
      throw misplaced('@headgate/express', req);
    }
    const exchange = exchangeOf(req, res);
    let gated: GatedRequest | undefined;
    try {
      gated = this.http.enter(req, exchange, res);
    } catch (error) {
      return next(error);
    }
    if (gated === undefined) {
      res.locals.admission ??= exchange.admission;
      proceed();
    } else if (gated.answered === undefined) {
      this.#conclude(gated, req, res, next, proceed);
    } else {
      const answered = gated;
      gated.answered
        .then(() => this.#conclude(answered, req, res, next, proceed))
        .catch((error) => fail(next, error));
    }
  }

  wrap(handler: Handler): Step {
    if (typeof handler !== 'function') {
      throw invalid('handler', 'a function', handler);
    }
    return (req, res, next) =>
      this.admit(req, res, next, (error?: unknown) => {
        if (error !== undefined) return next(error);
        forwardErrors(() => {
          // Read before the handler runs, since the handler may pass the request on to inner middleware.
          const { latest } = exchangeOf(req, res);
          const result = handler(req, res, next);
          // If the handler returns no promise, the adapter cannot know when it is done.
          if (!isThenable(result)) return;
          // Converted once, since a thenable, such as a query builder, may start its work at every `then`.
          const work = Promise.resolve(result);
          return latest?.trackHandler(work) ?? work;
        }, next);
      });
  }

  #conclude(
    gated: GatedRequest,
    req: Request,
    res: Reply,
    next: NextFunction,
    proceed: NextFunction,
  ): void {
    if (gated.disconnected) return;
    const { rejection } = gated;
    const onReject = this.#onReject;
    // Set for a rejected request too, since an access log reads it.
    res.locals.admission = gated.admission;
    if (rejection === undefined) {
      this.#addFields(gated, res);
      return gated.run(proceed);
    }
    if (onReject === undefined) return this.#reject(gated, req, res);
    const settle = (answer: unknown) => answer === false && this.#reject(gated, req, res);
    forwardErrors(() => onReject(rejection, req, res, proceed), next, settle);
  }

  #reject(gated: GatedRequest, req: Request, res: Reply): void {
    const { status, headers, body } = this.http.responseTo(gated, req);
    this.#addFields(gated, res);
    // Not chained: other middleware may have replaced `writeHead` with a function that returns nothing.
    res.writeHead(status, headers);
    res.end(body);
  }

  #addFields(gated: GatedRequest, res: Reply): void {
    for (const [name, value] of this.http.fields(gated)) res.append(name, value);
  }
}

/**
 * Cached in `locals`, which exists anyway, unless the app replaces it. A new field on the response would be slow, since
 * Express gives every response its own hidden class.
 */
function exchangeOf(req: Request, res: Reply): NodeExchange {
  return NodeExchange.of(req, res, res.locals);
}

/**
 * If `call` throws or rejects, passes the error to the app's error handling. Express 4 would not do so for a rejection.
 */
function forwardErrors(
  call: () => unknown,
  next: NextFunction,
  done?: (result: unknown) => void,
): void {
  const failed = (error: unknown) => fail(next, error);
  try {
    const result = call();
    if (isThenable(result)) void Promise.resolve(result).then(done).then(undefined, failed);
    else done?.(result);
  } catch (error) {
    failed(error);
  }
}

/** Express treats `next(undefined)` as success. */
function fail(next: NextFunction, error: unknown): void {
  next(reasonOf(error));
}
