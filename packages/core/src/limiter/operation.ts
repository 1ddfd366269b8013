import { HeadgateError } from '../errors.ts';
import type { Operation } from '../semaphore/observer.ts';

interface Operable {
  readonly name: string;
  readonly closed: boolean;
  readonly operations: readonly Operation[];
}

/** @throws HeadgateError for an operation that the limiter does not support, and for a closed limiter. */
export function checkOperation(limiter: Operable, operation: Operation): void {
  if (limiter.closed) throw unsupported(limiter, operation, 'it is closed');
  checkSupport(limiter, operation);
}

/** @throws HeadgateError for an operation that the limiter does not support. */
export function checkSupport(limiter: Operable, operation: Operation): void {
  const { operations } = limiter;
  if (operations.includes(operation)) return;
  throw unsupported(limiter, operation, `it supports ${operations.join(', ') || 'no operations'}`);
}

function unsupported({ name }: Operable, operation: Operation, why: string): HeadgateError {
  return new HeadgateError(
    'ERR_HEADGATE_UNSUPPORTED',
    `limiter "${name}" does not support ${operation}: ${why}`,
  );
}
