import type { Rejection } from '@headgate/core';

/** A rejection as a limit reports it. */
export function rejectionOf(of: Partial<Rejection> = {}): Rejection {
  return {
    ...{ reason: 'full', limitName: 'internal-name', queued: 3, waited: 0, retryAfter: 1 },
    ...of,
  } as Rejection;
}
