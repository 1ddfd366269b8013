import type { IncomingMessage } from 'node:http';
import { type HttpHandle, withHandle } from '@headgate/core/http';
import { type ConcurrencyLimitOptions, type Handler, LimitedListener } from './limited-listener.ts';
import type { Message, ResponseTo, Served } from './message.ts';

export * from '@headgate/core/app';
export { admissionOf, type ConcurrencyLimitOptions } from './limited-listener.ts';

export interface ConcurrencyLimit<Req extends Message = IncomingMessage> extends HttpHandle {
  /**
   * Limits a handler, or an app of a framework. Returns the listener for `createServer`. The permit is held until the
   * response has ended and, if the handler returns a promise, until the promise has settled. If the handler throws or
   * rejects, so does the listener. If nothing has responded by then, the permit is released.
   */
  (handler: Handler<Req>): (req: Served<Req>, res: ResponseTo<Req>) => unknown;
}

/**
 * Limits how many requests are handled at once. Requests beyond the limit wait in a short queue or are rejected with
 * 503 and `Retry-After`. Without options, the limit adapts to the server; `limit` sets a fixed one.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function concurrencyLimit<Req extends Message = IncomingMessage>(
  options: ConcurrencyLimitOptions<Req> = {},
): ConcurrencyLimit<Req> {
  const listener = new LimitedListener(options);
  const around: LimitedListener<Req>['around'] = (...args) => listener.around(...args);
  return withHandle(around, listener.http);
}
