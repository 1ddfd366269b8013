import { type Handle, withHandle } from '@headgate/core/http';
import type { Context, Middleware, Next } from 'koa';
import {
  type AdmissionState,
  type ConcurrencyLimitOptions,
  LimitMiddleware,
} from './limit-middleware.ts';

export * from '@headgate/core/app';
export type { AdmissionState, ConcurrencyLimitOptions } from './limit-middleware.ts';

export type ConcurrencyLimit = Middleware<AdmissionState> & Handle;

/**
 * Limits how many requests are handled at once. Requests beyond the limit wait in a short queue or are rejected with
 * 503 and `Retry-After`. Without options, the limit adapts to the server; `limit` sets a fixed one.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function concurrencyLimit(options: ConcurrencyLimitOptions = {}): ConcurrencyLimit {
  const middleware = new LimitMiddleware(options);
  const limit = (ctx: Context, next: Next): unknown => middleware.handle(ctx, next);
  return withHandle(limit, middleware.http);
}
