import { type HttpHandle, withHandle } from '@headgate/core/http';
import type { Context, Env, MiddlewareHandler, Next } from 'hono';
import {
  type AdmissionEnv,
  type Answered,
  type ConcurrencyLimitOptions,
  LimitMiddleware,
} from './limit-middleware.ts';

export * from '@headgate/core/app';
export type { AdmissionEnv, ConcurrencyLimitOptions } from './limit-middleware.ts';

/** The middleware, which is also a handle on its limits. */
export type ConcurrencyLimit<E extends Env = Env> = MiddlewareHandler<E & AdmissionEnv> &
  HttpHandle;

/**
 * Limits how many requests are handled at once. Requests beyond the limit wait in a short queue or are rejected with
 * 503 and `Retry-After`. Without options, the limit adapts to the server; `limit` sets a fixed one.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function concurrencyLimit<E extends Env = Env>(
  options?: ConcurrencyLimitOptions<E>,
): ConcurrencyLimit<E>;
// biome-ignore lint/suspicious/noExplicitAny: the app's own types end at the signature above
export function concurrencyLimit(options: ConcurrencyLimitOptions<any> = {}): ConcurrencyLimit {
  const middleware = new LimitMiddleware(options);
  const limit = (c: Context, next: Next): Promise<Answered> => middleware.handle(c, next);
  return withHandle(limit, middleware.http);
}
