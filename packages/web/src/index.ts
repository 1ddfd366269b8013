import { HeadgateError, onWorkers } from '@headgate/core';
import { type HttpHandle, misplaced, withHandle } from '@headgate/core/http';
import { type ConcurrencyLimitOptions, LimitedHandler, type Next } from './limited-handler.ts';

export * from '@headgate/core/app';
export { admissionOf, type ConcurrencyLimitOptions } from './limited-handler.ts';

export interface ConcurrencyLimit<R extends Request = Request> extends HttpHandle {
  /**
   * Calls `next` for an admitted request, and resolves to its response. The permit is held until `next` has settled and
   * the response's body has been read to the end, has failed or has been cancelled. Rejects with what `next` throws.
   */
  <Req extends R>(request: Req, next: Next<Req>): Promise<Response>;
  /**
   * Limits a handler: returns one for `Bun.serve`, `Deno.serve` and others. Further arguments are passed on. A handler
   * that upgrades the connection to a WebSocket may return undefined, as on Bun: its permit is then released.
   */
  wrap<Req extends R, Rest extends readonly unknown[], Result extends Response | undefined>(
    handler: (request: Req, ...rest: Rest) => Result | Promise<Result>,
  ): (request: Req, ...rest: Rest) => Promise<Response | Result>;
}

/**
 * Limits how many requests are handled at once. Requests beyond the limit wait in a short queue or are rejected with
 * 503 and `Retry-After`. Without options, the limit adapts to the server; `limit` sets a fixed one.
 *
 * @throws HeadgateError for an unknown or invalid option, and on Cloudflare Workers.
 */
export function concurrencyLimit<R extends Request = Request>(
  options: ConcurrencyLimitOptions<R> = {},
): ConcurrencyLimit<R> {
  if (onWorkers()) {
    const message = 'on Cloudflare Workers permits would leak: use @headgate/hono';
    throw new HeadgateError('ERR_HEADGATE_RUNTIME', message);
  }
  const handler = new LimitedHandler(options);
  const limit = (request: R, next: Next<R>) => handler.handle(request, next);
  const wrap = (wrapped: (request: R, ...rest: unknown[]) => Response | Promise<Response>) => {
    if (typeof wrapped !== 'function') throw misplaced('@headgate/web', wrapped);
    return (request: R, ...rest: unknown[]) =>
      handler.handle(request, (admitted) => wrapped(admitted, ...rest));
  };
  return withHandle(Object.assign(limit, { wrap }), handler.http);
}
