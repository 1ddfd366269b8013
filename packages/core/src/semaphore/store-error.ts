import { type ErrorCode, HeadgateError } from '../errors.ts';
import type { Rejection } from './rejection.ts';
import { type ErrorResponse, errorResponse } from './rejection-response.ts';

/**
 * The store of a distributed limit is unavailable or has refused a call, or a lease was lost. Its `cause` is the
 * client's own error, if there is one.
 */
export class StoreError extends HeadgateError {
  override readonly name = 'StoreError';

  constructor(
    override readonly code: Extract<
      ErrorCode,
      `ERR_HEADGATE_STORE${string}` | 'ERR_HEADGATE_LEASE_LOST'
    >,
    message: string,
    cause?: unknown,
    /** The rejection, if this is the error of `acquire` or `run`. */
    readonly rejection?: Rejection,
  ) {
    super(code, message);
    if (cause !== undefined) this.cause = cause;
  }

  /** @internal The same error with a rejection, for a request that is rejected because of it. */
  for(rejection: Rejection): StoreError & ErrorResponse {
    const message = `limit "${rejection.limitName}" rejected: ${this.message}`;
    const error = new StoreError(this.code, message, this.cause ?? this, rejection);
    // The message may name the store, so it is not exposed to clients.
    return Object.assign(error, errorResponse(rejection, false));
  }
}
