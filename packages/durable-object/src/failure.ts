import { StoreError } from '@headgate/core/distributed';

export function unreachable(cause?: unknown): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the Durable Object cannot be reached', cause);
}

/** Whether the call was carried out is unknown. */
export function late(timeout: number): StoreError {
  const message = `the Durable Object has not answered within ${timeout} ms`;
  return new StoreError('ERR_HEADGATE_STORE_TIMEOUT', message);
}

export function closed(): StoreError {
  return new StoreError('ERR_HEADGATE_STORE_DOWN', 'the store was closed');
}
