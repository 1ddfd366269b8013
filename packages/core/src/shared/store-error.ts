import { type ErrorCode, HeadgateError } from '../errors.ts';
import type { Rejection } from '../limiter/rejection.ts';

/** Why a store could not be asked, or what it answered in place of an answer. Its `cause` is the client's own error, where there is one. */
export class StoreError extends HeadgateError {
  override readonly name = 'StoreError';

  constructor(
    code: Extract<ErrorCode, `ERR_HEADGATE_STORE${string}` | 'ERR_HEADGATE_LEASE_LOST'>,
    message: string,
    cause?: unknown,
    /** Where a caller was turned away for it. */
    readonly rejection?: Rejection,
  ) {
    super(code, message);
    if (cause !== undefined) this.cause = cause;
  }
}
