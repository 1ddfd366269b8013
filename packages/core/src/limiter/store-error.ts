import { type ErrorCode, HeadgateError } from '../errors.ts';
import type { Rejection } from './rejection.ts';

/**
 * Why the store of a shared limit could not be asked, or what it answered in place of an answer. Its `cause` is the client's own
 * error, where there is one.
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

  /** @internal The same, for a caller who is turned away for it. */
  for(rejection: Rejection): StoreError {
    const message = `limit "${rejection.limit}" refused: ${this.message}`;
    return new StoreError(this.code, message, this.cause ?? this, rejection);
  }
}
