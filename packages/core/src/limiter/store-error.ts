import { type ErrorCode, HeadgateError } from '../errors.ts';
import type { Rejection } from './rejection.ts';
import { type ErrorResponse, errorResponse } from './rejection-response.ts';

/**
 * Why the store of a shared limit could not be asked, or has refused, or that a lease was lost. Its `cause` is the
 * client's own error, where there is one.
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
    /** Where `acquire` or `run` rejects with it: what the caller is told. */
    readonly rejection?: Rejection,
  ) {
    super(code, message);
    if (cause !== undefined) this.cause = cause;
  }

  /** @internal The same error for a caller that is rejected because of it. */
  for(rejection: Rejection): StoreError & ErrorResponse {
    const message = `limit "${rejection.limit}" refused: ${this.message}`;
    const error = new StoreError(this.code, message, this.cause ?? this, rejection);
    // What the store has said is none of a client's business.
    return Object.assign(error, errorResponse(rejection, false));
  }
}
