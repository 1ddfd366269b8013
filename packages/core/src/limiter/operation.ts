import { HeadgateError } from '../errors.ts';
import type { Operation } from '../semaphore/observer.ts';

interface Operable {
  readonly name: string;
  readonly closed: boolean;
  readonly operations: readonly Operation[];
}

/** @throws HeadgateError for an operation that the limiter does not support, and for a closed limiter. */
export function checkOperation(limiter: Operable, operation: Operation): void {
  const { name, closed, operations } = limiter;
  if (!closed && operations.includes(operation)) return;
  const why = closed ? 'it is closed' : `it supports ${operations.join(', ') || 'no operations'}`;
  throw unsupported(name, operation, why);
}

function unsupported(limiter: string, operation: Operation, why: string): HeadgateError {
  return new HeadgateError(
    'ERR_HEADGATE_UNSUPPORTED',
    `limiter "${limiter}" does not support ${operation}: ${why}`,
  );
}
