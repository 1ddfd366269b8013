import type { LeaseRequest } from '@headgate/core/shared';
import { Line, type Waiting } from './line.ts';
import { peerOf } from './peer.ts';

/** A lease that the service was asked for: what this process knows of its peer there. */
export class KeptLease {
  readonly id: string;
  readonly weight: number;
  isHeld = false;
  /** It was released: nothing is asked for it any more. */
  isOver = false;
  /** When the latest request for it was sent that the service has answered; the peer lives for a lease from then. */
  heard = -Infinity;
  /** Its entry in the queue: another one each time that it joins. */
  waiting: Waiting | undefined;
  /** Peers whose removal is not confirmed. */
  readonly removing = new Set<bigint>();
  #peer: bigint;
  #retired = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #cancelWait = () => {};

  constructor(
    { id, weight }: LeaseRequest,
    readonly line: Line,
  ) {
    this.id = id;
    this.weight = weight;
    this.#peer = peerOf(id);
  }

  get peer(): bigint {
    return this.#peer;
  }

  /** Whether the service knows its peer, as far as its answers say. */
  get isMade(): boolean {
    return this.heard !== -Infinity;
  }

  /**
   * Requests that make or remove its peer: each waits for the answer to the one before. All others are harmless in any
   * order (docs/decisions/0021-order-of-one-lease.md).
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Its peer is about to be removed. The removal may arrive late, so if the lease goes on, it does as another peer. */
  retire(): void {
    this.forget();
    this.removing.add(this.#peer);
    this.#peer = peerOf(`${this.id}/${++this.#retired}`);
  }

  /** The service does not know its peer. */
  forget(): void {
    this.leave();
    this.isHeld = false;
    this.heard = -Infinity;
  }

  /** At the tail of the queue, unless it is there; `cancel` stops what limits its wait. */
  join(cancel: () => void): void {
    this.#cancelWait();
    this.#cancelWait = cancel;
    if (this.waiting !== undefined) return;
    const { id, peer, weight } = this;
    this.waiting = { id, peer, weight };
    this.line.join(this.waiting);
  }

  leave(): void {
    this.#cancelWait();
    if (this.waiting !== undefined) this.line.leave(this.waiting);
    this.waiting = undefined;
  }
}

/** All of this process. */
export class KeptLeases {
  readonly #leases = new Map<string, KeptLease>();
  readonly #lines = new Map<string, Line>();

  /** @param left The first waiter of this queue may have left. */
  constructor(private readonly left: (line: Line) => void) {}

  get(id: string): KeptLease | undefined {
    return this.#leases.get(id);
  }

  of(request: LeaseRequest): KeptLease {
    const known = this.#leases.get(request.id);
    if (known !== undefined) return known;
    const lease = new KeptLease(request, this.#lineOf(request.ref.name));
    this.#leases.set(lease.id, lease);
    return lease;
  }

  delete(lease: KeptLease): void {
    lease.leave();
    if (this.#leases.get(lease.id) === lease) this.#leases.delete(lease.id);
  }

  #lineOf(semaphore: string): Line {
    let line = this.#lines.get(semaphore);
    if (line === undefined) {
      line = new Line(semaphore, this.left);
      this.#lines.set(semaphore, line);
    }
    return line;
  }
}
