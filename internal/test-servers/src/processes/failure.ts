import { HeadgateError, RejectedError } from '@headgate/core';
import { StoreError } from '@headgate/store-kit';

/** An error in the form in which it is sent to other processes. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly cause?: Failure | undefined;
  /** The reason, if the caller was rejected. */
  readonly reason?: string | undefined;
  readonly retryAfter?: number | undefined;
}

export function failureOf(error: unknown): Failure {
  const { name = '', message = String(error), cause } = (error ?? {}) as Partial<Error>;
  const code = error instanceof HeadgateError ? error.code : undefined;
  const isRefusal = error instanceof RejectedError || error instanceof StoreError;
  const { reason, retryAfter } = (isRefusal && error.rejection) || {};
  const behind = cause === undefined ? undefined : failureOf(cause);
  return { name, message, code, cause: behind, reason, retryAfter };
}
