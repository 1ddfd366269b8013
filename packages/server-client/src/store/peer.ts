import { createHash } from 'node:crypto';

/** The id of the peer that represents a lease at the service: 64 bits, derived from the lease's id. */
export function peerOf(lease: string): bigint {
  return createHash('sha256').update(lease).digest().readBigUInt64BE();
}
