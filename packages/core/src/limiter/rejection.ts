import { HeadgateError } from '../errors.ts';
import { type ErrorResponse, errorResponse } from './rejection-response.ts';
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

/**
 * What `acquire` and `run` reject with when the caller is rejected; when a store is to blame it is a StoreError.
 * Where it reaches a framework's error handling, the client gets the response of a gate.
 */
export class RejectedError extends HeadgateError implements ErrorResponse {
  override readonly name = 'RejectedError';
  declare status: number;
  declare statusCode: number;
  declare expose: boolean;
  declare headers: Record<string, string>;
  declare getResponse: () => Response;

  constructor(readonly rejection: Rejection) {
    super('ERR_HEADGATE_REJECTED', `limit "${rejection.limit}" refused: ${rejection.reason}`);
    Object.assign(this, errorResponse(rejection, true));
  }
}
