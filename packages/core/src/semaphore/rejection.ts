import { HeadgateError } from '../errors.ts';
import { type ErrorResponse, errorResponse } from './rejection-response.ts';
import type { StoreError } from './store-error.ts';

/**
 * Why a request was rejected: the queue was `full`, its time in the queue ran out (`timeout`), the limiter was
 * `closed`, the server is `overloaded`, or the `store` of a distributed limit failed.
 */
export type RejectionReason = 'full' | 'timeout' | 'closed' | 'overloaded' | 'store';

/** Describes a rejection. A plain object, since creating an error would capture a stack trace. */
export interface Rejection {
  readonly reason: RejectionReason;
  /** Name of the limit that rejected the request. */
  readonly limitName: string;
  /** Number of waiters queued there. */
  readonly queued: number;
  /** How long the request was queued, in milliseconds. */
  readonly waited: number;
  /** When to retry, in whole seconds, at least 1: the value of `Retry-After`. */
  readonly retryAfter: number;
  /** The store's error, if the reason is `store`. */
  readonly error?: StoreError | undefined;
}

/** The limit on whose behalf a waiter of another limit is rejected. */
export type RejectionCause = Pick<Rejection, 'limitName' | 'error'>;

/**
 * The error of `acquire` and `run` for a rejected request, unless a store is the cause, which makes it a
 * `StoreError`. In a framework's error handling, it leads to the same response as a rejection by a gate.
 */
export class RejectedError extends HeadgateError implements ErrorResponse {
  override readonly name = 'RejectedError';
  declare status: number;
  declare statusCode: number;
  declare expose: boolean;
  declare headers: Record<string, string>;
  declare getResponse: () => Response;

  constructor(readonly rejection: Rejection) {
    super('ERR_HEADGATE_REJECTED', `limit "${rejection.limitName}" rejected: ${rejection.reason}`);
    Object.assign(this, errorResponse(rejection, true));
  }
}
