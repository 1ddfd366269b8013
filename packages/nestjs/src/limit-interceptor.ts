import { STATUS_CODES } from 'node:http';
import type { Rejection } from '@headgate/core';
import {
  appendFields,
  type GatedRequest,
  HttpGate,
  type HttpOptions,
  rejectionHandler,
  sentence,
} from '@headgate/core/http';
import {
  type CallHandler,
  type ExecutionContext,
  HttpException,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { defer, finalize, isObservable, type Observable, of } from 'rxjs';
import { framework } from './framework.ts';
import { exchangeOf, requestOf, responseOf } from './platform.ts';

/** Options of the module and of the decorator, with functions of an execution context. */
export type ConcurrencyLimitOptions = HttpOptions<
  ExecutionContext,
  [context: ExecutionContext, next: CallHandler],
  unknown,
  // biome-ignore lint/suspicious/noExplicitAny: a response of Express or a reply of Fastify
  any
>;

/** The key under which a decorator stores the limit of a class or a method: an interceptor, or `false` for no limit. */
export const limitKey = Symbol.for('headgate.nestjs.limit');

const reflector = new Reflector();

/** Runs handlers through the gate. Unlike middleware, an interceptor is notified when the handler has settled. */
export class LimitInterceptor implements NestInterceptor {
  readonly http: HttpGate<ExecutionContext>;
  readonly #reject: (...args: [GatedRequest, ExecutionContext, CallHandler]) => Promise<unknown>;

  constructor(options: ConcurrencyLimitOptions) {
    this.http = new HttpGate<ExecutionContext>(options, framework);
    this.#reject = rejectionHandler(options.onReject, (gated, context) =>
      this.#refuse(gated, context),
    );
  }

  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    if (context.getType() !== 'http') return next.handle();
    const decorated = limitOf(context);
    if (decorated === false) requestOf(context).admission ??= exchangeOf(context).admission;
    if (decorated !== undefined && decorated !== this) return next.handle();
    const exchange = exchangeOf(context);
    const gated = this.http.enter(context, exchange, responseOf(context));
    if (gated === undefined) {
      const { latest } = exchange;
      requestOf(context).admission ??= exchange.admission;
      // The handler is tracked for outer limits as well, and again if an interceptor repeats it.
      return latest === undefined ? next.handle() : tracked(latest, next);
    }
    if (gated.answered === undefined) return this.#conclude(gated, context, next);
    return gated.answered.then(() => this.#conclude(gated, context, next));
  }

  #conclude(gated: GatedRequest, context: ExecutionContext, next: CallHandler) {
    // The client has disconnected. The exception shows outer interceptors and filters that the request was not handled.
    if (gated.disconnected) throw new HttpException('The client has disconnected', 499);
    requestOf(context).admission = gated.admission;
    if (gated.rejection !== undefined) {
      return this.#reject(gated, context, next).then((result) =>
        isObservable(result) ? result : of(result),
      );
    }
    this.#addFields(gated, context);
    return tracked(gated, next);
  }

  #refuse(gated: GatedRequest, context: ExecutionContext): never {
    const { status, headers } = this.http.responseTo(gated, context);
    this.#addFields(gated, context);
    for (const [name, value] of Object.entries(headers)) {
      // Fields of the body are omitted, since the exception filter writes the body.
      if (!name.startsWith('Content-')) responseOf(context).header(name, value);
    }
    throw new RejectionException(gated.rejection as Rejection, status);
  }

  #addFields(gated: GatedRequest, context: ExecutionContext): void {
    appendFields(responseOf(context), this.http.fields(gated));
  }
}

/**
 * The limit of a decorator, of the method or otherwise of the class. Undefined if there is none: the module's limit
 * applies.
 */
function limitOf(context: ExecutionContext): unknown {
  return reflector.getAllAndOverride(limitKey, [context.getHandler(), context.getClass()]);
}

/** Holds the permit until the handler's observable has ended. Other interceptors subscribe to that observable. */
function tracked(
  gated: Pick<GatedRequest, 'run' | 'trackHandler'>,
  next: CallHandler,
): Observable<unknown> {
  return defer(() => {
    let settle = () => {};
    const settled = new Promise<void>((resolve) => {
      settle = resolve;
    });
    gated.trackHandler(settled);
    return gated.run(() => next.handle()).pipe(finalize(settle));
  });
}

/** The exception for a rejected request, for exception filters: 503, or the `statusCode` of the limit. */
export class RejectionException extends HttpException {
  constructor(
    /** Why, by which limit, and when to retry. */
    readonly rejection: Rejection,
    status: number,
  ) {
    super(
      {
        statusCode: status,
        message: sentence(rejection, status),
        error: STATUS_CODES[status] ?? 'Error',
        reason: rejection.reason,
      },
      status,
    );
  }
}
