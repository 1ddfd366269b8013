import { type HttpHandle, withHandle } from '@headgate/core/http';
import { applyDecorators, SetMetadata, UseInterceptors } from '@nestjs/common';
import { type ConcurrencyLimitOptions, LimitInterceptor, limitKey } from './limit-interceptor.ts';

type Decorator = ClassDecorator & MethodDecorator;

/**
 * A decorator for controllers and handlers. It is also a handle on its limits. All controllers and handlers that it
 * decorates share the limit.
 */
export type ConcurrencyLimitDecorator = Decorator & HttpHandle;

/** Removes the limit from a controller or a handler. */
export function ConcurrencyLimit(options: false): Decorator;
/**
 * Limits how many requests a controller or a handler handles at once. Replaces the limit of the module, or of the
 * controller. Requests beyond the limit wait in a short queue or are rejected with 503 and `Retry-After`. Without
 * options, the limit adapts to the server; `limit` sets a fixed one.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function ConcurrencyLimit(options?: ConcurrencyLimitOptions): ConcurrencyLimitDecorator;
export function ConcurrencyLimit(options: ConcurrencyLimitOptions | false = {}): Decorator {
  if (options === false) return SetMetadata(limitKey, false);
  const interceptor = new LimitInterceptor(options);
  const decorator = applyDecorators(
    SetMetadata(limitKey, interceptor),
    UseInterceptors(interceptor),
  );
  return withHandle<ConcurrencyLimitDecorator>(decorator, interceptor.http);
}
