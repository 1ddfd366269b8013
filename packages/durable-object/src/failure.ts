import { StoreError } from '@headgate/store-kit';

export function unreachable(cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the Durable Object cannot be reached', cause);
}

/** The error for a call that was not answered in time. The call may have been executed nevertheless. */
export function late(timeout: number): StoreError {
  const message = `the Durable Object has not answered within ${timeout} ms`;
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', message);
}

export function closed(): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store was closed');
}
