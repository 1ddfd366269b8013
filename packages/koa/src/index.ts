import type { Rejection } from '@headgate/core';
import {
  type Admission,
  type GatedRequest,
  type Handle,
  HttpGate,
  type HttpOptions,
  misplaced,
  NodeExchange,
  unlimited,
  withHandle,
  withReason,
} from '@headgate/core/http';
import type { Context, Middleware, Next } from 'koa';
import { framework } from './framework.ts';

export * from '@headgate/core/app';

/** The handler reads its admission from `ctx.state.admission`. */
export interface AdmissionState {
  admission: Admission;
}

export type ConcurrencyLimitOptions = HttpOptions<
  Context,
  [ctx: Context, next: Next],
  unknown,
  Context
>;

export type ConcurrencyLimit = Middleware<AdmissionState> & Handle;

/**
 * Limits how many requests are handled at once. Requests beyond the limit wait in a short queue or are rejected with
 * 503 and `Retry-After`.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions): ConcurrencyLimit {
  const http = new HttpGate<Context>(options, framework);
  const onReject = options.onReject && withReason(options.onReject);

  // No async functions for a request that is not queued: each would slow down the middleware around this one.
  function limit(ctx: Context, next: Next): unknown {
    if (typeof next !== 'function' || ctx.state === undefined) {
      throw misplaced('@headgate/koa', ctx);
    }
    const exchange = NodeExchange.of(ctx.req, ctx.res);
    const gated = http.enter(ctx, exchange);
    if (gated === undefined) {
      ctx.state.admission ??= unlimited;
      return next();
    }
    if (gated.answered === undefined) return conclude(gated, ctx, next);
    return gated.answered.then(() => conclude(gated, ctx, next));
  }

  function conclude(gated: GatedRequest, ctx: Context, next: Next): unknown {
    const { rejection } = gated;
    // The client has disconnected; 499 tells outer middleware that the request was not handled.
    if (gated.left) {
      ctx.status = 499;
      return;
    }
    ctx.state.admission = gated.admission;
    if (rejection !== undefined) return reject(gated, rejection, ctx, next);
    addFields(gated, ctx);
    return gated.trackHandler(next());
  }

  async function reject(gated: GatedRequest, rejection: Rejection, ctx: Context, next: Next) {
    const result = onReject === undefined ? false : await onReject(rejection, ctx, next);
    if (result !== false) return result;
    const { status, headers, body } = http.responseTo(gated, ctx);
    ctx.status = status;
    addFields(gated, ctx);
    ctx.set(headers);
    ctx.body = body;
  }

  function addFields(gated: GatedRequest, ctx: Context): void {
    for (const [name, value] of http.fields(gated)) ctx.append(name, value);
  }

  return withHandle(limit, http);
}
