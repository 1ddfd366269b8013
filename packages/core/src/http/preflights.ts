import { createLimiter } from '../limiter/create-limiter.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import type { Framework } from './framework.ts';
import type { Exchange } from './gated-request.ts';

/**
 * Maximum number of preflights that bypass the limits at a time. Bounded, since any client can send fake preflights.
 */
const MAX_PREFLIGHTS = 4;

/** Lets a few CORS preflights bypass the limits of a middleware. */
export class Preflights<R> {
  readonly #limiter = createLimiter({ name: 'preflights', limit: MAX_PREFLIGHTS });

  constructor(private readonly framework: Framework<R>) {}

  /**
   * Returns undefined if the request is not a preflight, if too many are running, or if its client has disconnected.
   */
  tryAcquire(request: R, exchange: Exchange): BasePermit | undefined {
    if (!this.#includes(request) || exchange.gone) return undefined;
    return this.#limiter.tryAcquire() as BasePermit | undefined;
  }

  #includes(request: R): boolean {
    const { framework } = this;
    return (
      framework.method(request) === 'OPTIONS' &&
      framework.header(request, 'origin') !== undefined &&
      framework.header(request, 'access-control-request-method') !== undefined
    );
  }
}
