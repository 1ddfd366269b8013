import type {
  Answer,
  Grant,
  LeaseRequest,
  LimitName,
  Op,
  Reply,
  StoreStats,
} from '@headgate/store-kit';

/** A message from a store to an object: operations on its limit, in their order, or a request for its state. */
export type Call =
  | { readonly leaseDuration: number; readonly ops: readonly Op[] }
  | { readonly stats: true };

/** A line of the response. Grants may come before the line with the replies. */
export type Line =
  | { readonly replies: readonly Reply[] }
  | { readonly grant: Grant }
  | { readonly operated: LimitName }
  | { readonly stats: StoreStats };

export function isQueued(answer: Answer): boolean {
  return 'state' in answer && answer.state === 'queued';
}

/** The lease that the operation may leave queued. */
export function waitingLease(op: Op): LeaseRequest | undefined {
  return op.verb === 'acquire' || op.verb === 'stay' ? op.lease : undefined;
}
