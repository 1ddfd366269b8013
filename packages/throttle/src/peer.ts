import { createHash } from 'node:crypto';

/** The id of the peer that stands for a lease at the service: 64 bits, the same for the same lease. */
export function peerOf(lease: string): bigint {
  return createHash('sha256').update(lease).digest().readBigUInt64BE();
}
