import type { LeaseRequest } from '@headgate/store-kit';
import { LocalQueue, type Waiting } from './local-queue.ts';
import { peerOf } from './peer.ts';

/** A lease requested from the service, and what this process knows of its peer there. */
export class ServiceLease {
  readonly id: string;
  readonly weight: number;
  isHeld = false;
  /** Whether the lease was released, after which no more requests are made for it. */
  isReleased = false;
  /** When the latest answered request was sent. The peer lives for one lease duration from then. */
  renewedAt = -Infinity;
  /** The queue entry. It is replaced each time the lease is enqueued. */
  waiting: Waiting | undefined;
  /** The peers whose removal is not confirmed yet. */
  readonly removing = new Set<bigint>();
  #peer: bigint;
  #retired = 0;
  #lastChange: Promise<unknown> = Promise.resolve();
  #cancelWait = () => {};

  constructor(
    { id, weight }: LeaseRequest,
    readonly queue: LocalQueue,
  ) {
    this.id = id;
    this.weight = weight;
    this.#peer = peerOf(id);
  }

  get peer(): bigint {
    return this.#peer;
  }

  /** Whether the service has the peer, as far as its answers say. */
  get existsAtService(): boolean {
    return this.renewedAt !== -Infinity;
  }

  /**
   * Runs requests that create or remove the peer one after the other. All other requests are harmless in any order
   * (docs/decisions/0021-order-of-one-lease.md).
   */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastChange.then(work);
    this.#lastChange = result.catch(() => {});
    return result;
  }

  /**
   * Called when the peer is about to be removed. The removal may be late, so a lease that continues uses another peer.
   */
  retire(): void {
    this.forget();
    this.removing.add(this.#peer);
    this.#peer = peerOf(`${this.id}/${++this.#retired}`);
  }

  /** Called when the service has lost the peer. */
  forget(): void {
    this.leave();
    this.isHeld = false;
    this.renewedAt = -Infinity;
  }

  /** Enqueues the lease at the tail, unless it is queued already. `cancel` stops the timer that limits its wait. */
  join(cancel: () => void): void {
    this.#cancelWait();
    this.#cancelWait = cancel;
    if (this.waiting !== undefined) return;
    const { id, peer, weight } = this;
    this.waiting = { id, peer, weight };
    this.queue.join(this.waiting);
  }

  leave(): void {
    this.#cancelWait();
    if (this.waiting !== undefined) this.queue.leave(this.waiting);
    this.waiting = undefined;
  }
}

/** All leases of this process. */
export class LeaseTable {
  readonly #leases = new Map<string, ServiceLease>();
  readonly #queues = new Map<string, LocalQueue>();

  /** @param left Called when the first waiter of a queue may have left. */
  constructor(private readonly left: (queue: LocalQueue) => void) {}

  get(id: string): ServiceLease | undefined {
    return this.#leases.get(id);
  }

  of(request: LeaseRequest): ServiceLease {
    const known = this.#leases.get(request.id);
    if (known !== undefined) return known;
    const lease = new ServiceLease(request, this.#queueOf(request.ref.name));
    this.#leases.set(lease.id, lease);
    return lease;
  }

  delete(lease: ServiceLease): void {
    lease.leave();
    if (this.#leases.get(lease.id) === lease) this.#leases.delete(lease.id);
  }

  #queueOf(semaphore: string): LocalQueue {
    let queue = this.#queues.get(semaphore);
    if (queue === undefined) {
      queue = new LocalQueue(semaphore, this.left);
      this.#queues.set(semaphore, queue);
    }
    return queue;
  }
}
