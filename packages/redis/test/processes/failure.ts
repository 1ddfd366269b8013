import { HeadgateError, RejectedError } from '@headgate/core';

/** An error as it travels between processes. */
export interface Failure {
  readonly message: string;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly store?: Failure | undefined;
  readonly cause?: Failure | undefined;
}

export function failureOf(error: unknown): Failure {
  const { message = String(error), cause } = (error ?? {}) as Partial<Error>;
  const code = error instanceof HeadgateError ? error.code : undefined;
  const why = cause === undefined ? undefined : failureOf(cause);
  if (!(error instanceof RejectedError)) return { message, code, cause: why };
  const { reason, retryAfter, error: store } = error.rejection;
  const known = store === undefined ? undefined : failureOf(store);
  return { message, code, cause: why, reason, retryAfter, store: known };
}
