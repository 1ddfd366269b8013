import { HeadgateError } from '../errors.ts';
import type { StoreError } from './store-error.ts';

/**
 * Why a caller was turned away: the line was `full`, its time in the line ran out (`timeout`), the limiter
 * was `closed`, the server is `overloaded`, or the `store` of a shared limit failed.
 */
export type RejectionReason = 'full' | 'timeout' | 'closed' | 'overloaded' | 'store';

/** What a rejected caller is told. A plain object: making one costs no stack trace. */
export interface Rejection {
  readonly reason: RejectionReason;
  /** The name of the limit that refused. */
  readonly limit: string;
  /** How many callers were waiting there. */
  readonly queued: number;
  /** How long this caller had waited, in milliseconds. */
  readonly waited: number;
  /** When to come back, in whole seconds, at least 1: the value of `Retry-After`. */
  readonly retryAfter: number;
  /** Where a `store` failed: how. */
  readonly error?: StoreError | undefined;
}

/** Where it is not the limit at which the caller waits that refuses. */
export type RejectionCause = Pick<Rejection, 'limit' | 'error'>;

/** What `acquire` and `run` reject with when the caller is turned away; for want of a store it is a StoreError. */
export class RejectedError extends HeadgateError {
  override readonly name = 'RejectedError';

  constructor(readonly rejection: Rejection) {
    super('ERR_HEADGATE_REJECTED', `limit "${rejection.limit}" refused: ${rejection.reason}`);
  }
}
