import type { LeaseRequest } from '@headgate/core/shared';
import { Line, type Waiting } from './line.ts';
import { peerOf } from './peer.ts';

/** A lease that the service has been asked for: what this process knows of its peer there. */
export class KeptLease {
  readonly id: string;
  readonly peer: bigint;
  readonly weight: number;
  isHeld = false;
  /** When the latest request for it was sent that the service has done. */
  heard = -Infinity;
  /** The service keeps it until then at least, unless it loses its state. */
  until = -Infinity;
  /** What makes it again with what it holds, or has. */
  restored: Promise<unknown> | undefined;
  /** It as one that waits: another each time that it joins the line. */
  waiting: Waiting | undefined;

  constructor(
    { id, weight }: LeaseRequest,
    readonly line: Line,
  ) {
    this.id = id;
    this.weight = weight;
    this.peer = peerOf(id);
  }

  /** Whether the service has heard of it. */
  get isMade(): boolean {
    return this.heard !== -Infinity;
  }

  /** The service has done what was sent at this instant, and keeps it for so many milliseconds from then. */
  hear(sent: number, expiresIn: number): void {
    this.heard = sent;
    this.until = sent + expiresIn;
  }

  /** At the tail of the line, unless it is there. */
  join(): void {
    if (this.waiting !== undefined) return;
    const { id, peer, weight } = this;
    this.waiting = { id, peer, weight };
    this.line.join(this.waiting);
  }

  /** Whether it has waited until now. */
  leave(): boolean {
    const { waiting } = this;
    this.waiting = undefined;
    return waiting !== undefined && this.line.leave(waiting);
  }
}

/** All of this process. */
export class KeptLeases {
  readonly #leases = new Map<string, KeptLease>();
  readonly #lines = new Map<string, Line>();

  get(id: string): KeptLease | undefined {
    return this.#leases.get(id);
  }

  add(request: LeaseRequest): KeptLease {
    const lease = new KeptLease(request, this.#lineOf(request.ref.name));
    this.#leases.set(lease.id, lease);
    return lease;
  }

  delete(id: string): void {
    this.#leases.get(id)?.leave();
    this.#leases.delete(id);
  }

  #lineOf(semaphore: string): Line {
    let line = this.#lines.get(semaphore);
    if (line === undefined) {
      line = new Line(semaphore);
      this.#lines.set(semaphore, line);
    }
    return line;
  }
}
