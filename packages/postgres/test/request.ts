import type { LeaseRequest, LimitRef, Store } from '@headgate/store-kit';

/** A limit of 1 that no operation has named yet. */
export function limitOf(name: string): LimitRef {
  return { name, limit: 1, version: '' };
}

let ids = 0;

/** A request for a new lease, without waiting. */
export function requestOf(store: Store, ref: LimitRef): LeaseRequest {
  const id = `${store.owner}.${++ids}`;
  const usual = { weight: 1, resized: false, extraTokens: 0, reserves: false };
  return { ref, id, ...usual, wait: 0, queueLimit: 0 };
}
