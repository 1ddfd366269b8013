import { type Admission, type HttpHandle, warnBehindRoutes, withHandle } from '@headgate/core/http';
import type Application from 'koa';
import type { Context, Next, ParameterizedContext } from 'koa';
import {
  type AdmissionState,
  type ConcurrencyLimitOptions,
  LimitMiddleware,
} from './limit-middleware.ts';

export * from '@headgate/core/app';
export type { AdmissionState, ConcurrencyLimitOptions } from './limit-middleware.ts';

// biome-ignore lint/suspicious/noTsIgnore: kept in the declarations, where an error is not expected
/** @ts-ignore: `koa` without `@types/koa` has no types to extend. Without `strict`, an app compiles nevertheless. */
declare module 'koa' {
  interface DefaultState {
    /** The result of the limit, once the request has reached it. */
    admission?: Admission | undefined;
  }
}

export interface ConcurrencyLimit extends HttpHandle {
  /** Also accepts contexts with the default state, as in a list of `Middleware`. */
  (ctx: Context, next: Next): unknown;
  // TypeScript infers types from the last signature: the type of the state.
  (ctx: ParameterizedContext<AdmissionState>, next: Next): unknown;
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
  const limit = (ctx: Context, next: Next): unknown => {
    if (!isChecked && ctx.app !== undefined) {
      isChecked = true;
      if (isBehindRoutes(ctx.app, limit)) warnBehindRoutes();
    }
    return middleware.handle(ctx, next);
  };
  return withHandle(limit, middleware.http);
}

/**
 * Whether the middleware is the last one and comes after a router. It then receives only requests that no route has
 * answered.
 */
function isBehindRoutes({ middleware = [] }: Partial<Application>, limit: unknown): boolean {
  return middleware.at(-1) === limit && middleware.some((other) => 'router' in other);
}
