import { HeadgateError } from '@headgate/core';
import {
  HttpGate,
  misplaced,
  NodeClient,
  reasonOf,
  unlimited,
  type Visit,
} from '@headgate/core/http';
import type { NextFunction, Request } from 'express';
import { framework } from './framework.ts';
import type { ConcurrencyLimitOptions, Reply } from './index.ts';

export type Step = (req: Request, res: Reply, next: NextFunction) => void;
export type Handler = (req: Request, res: Reply, next: NextFunction) => unknown;

/** Leads requests from the gate to their handlers. */
export class Entrance {
  readonly http: HttpGate<Request>;
  readonly #onReject: ConcurrencyLimitOptions['onReject'];

  constructor(options: ConcurrencyLimitOptions) {
    this.http = new HttpGate<Request>(options, framework);
    this.#onReject = options.onReject;
  }

  /** Calls `proceed` where the handler may run. */
  admit(req: Request, res: Reply, next: NextFunction, proceed: NextFunction): void {
    if (typeof next !== 'function' || res.locals === undefined) {
      throw misplaced('@headgate/express', req);
    }
    const client = clientOf(req, res);
    let visit: Visit | undefined;
    try {
      visit = this.http.enter(req, client);
    } catch (error) {
      return next(error);
    }
    if (visit === undefined) {
      res.locals.admission ??= client.latest?.admission ?? unlimited;
      proceed();
    } else if (visit.answered === undefined) {
      this.#conclude(visit, req, res, next, proceed);
    } else {
      const answered = visit;
      visit.answered
        .then(() => this.#conclude(answered, req, res, next, proceed))
        .catch((error) => fail(next, error));
    }
  }

  wrap(handler: Handler): Step {
    if (typeof handler !== 'function') {
      const message = `handler must be a function, got ${typeof handler}`;
      throw new HeadgateError('ERR_HEADGATE_OPTION', message, 'handler');
    }
    return (req, res, next) =>
      this.admit(req, res, next, (error?: unknown) => {
        if (error !== undefined) return next(error);
        attempt(() => {
          // Not the visits that the handler itself may lead on to.
          const { latest } = clientOf(req, res);
          const result = handler(req, res, next);
          // A handler that returns nothing does not tell when it is done.
          if (!isPromise(result)) return;
          // Once: a query builder, say, runs its query whenever it is asked.
          const work = Promise.resolve(result);
          return latest?.during(work) ?? work;
        }, next);
      });
  }

  #conclude(
    visit: Visit,
    req: Request,
    res: Reply,
    next: NextFunction,
    proceed: NextFunction,
  ): void {
    if (visit.left) return;
    const { rejection } = visit;
    const onReject = this.#onReject;
    if (rejection === undefined) {
      res.locals.admission = visit.admission;
      this.#addFields(visit, res);
      return proceed();
    }
    if (onReject === undefined) return this.#reject(visit, req, res);
    res.locals.admission = visit.admission;
    const settle = (answer: unknown) => answer === false && this.#reject(visit, req, res);
    attempt(() => onReject(rejection, req, res, proceed), next, settle);
  }

  #reject(visit: Visit, req: Request, res: Reply): void {
    const { status, headers, body } = this.http.answerTo(visit, req);
    this.#addFields(visit, res);
    // Middleware may have replaced `writeHead` by a function that returns nothing.
    res.writeHead(status, headers);
    res.end(body);
  }

  #addFields(visit: Visit, res: Reply): void {
    for (const [name, value] of this.http.fields(visit)) res.append(name, value);
  }
}

/** Express gives every response a shape of its own, which makes a new field dear; `locals` is there anyway, unless the app replaces it. */
function clientOf(req: Request, res: Reply): NodeClient {
  return NodeClient.of(req, res, res.locals);
}

/** What `call` throws or rejects with goes to the app's error handling, in Express 4 too. */
function attempt(call: () => unknown, next: NextFunction, done?: (result: unknown) => void): void {
  const failed = (error: unknown) => fail(next, error);
  try {
    const result = call();
    if (isPromise(result)) void Promise.resolve(result).then(done).then(undefined, failed);
    else done?.(result);
  } catch (error) {
    failed(error);
  }
}

/** Nothing at all, as a reason, would read as success. */
function fail(next: NextFunction, error: unknown): void {
  next(reasonOf(error));
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | undefined)?.then === 'function';
}
