import { FifoQueue } from '../queues/fifo.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { Lease } from './lease.ts';

/** The waiters of this process, each with its own lease, in order of arrival. */
export class Waiters {
  /** Waiters whose lease has been requested from the store. */
  readonly #sent = new FifoQueue();
  /** Waiters whose lease has not. */
  readonly #unsent = new FifoQueue();

  get length(): number {
    return this.#sent.length + this.#unsent.length;
  }

  /** Number of waiters whose lease has been requested from the store. */
  get sent(): number {
    return this.#sent.length;
  }

  get first(): Waiter | undefined {
    return this.#sent.oldest ?? this.#unsent.oldest;
  }

  /** The first waiter whose lease has not been requested from the store. */
  get firstUnsent(): Waiter | undefined {
    return this.#unsent.oldest;
  }

  /** Adds the waiter, or assigns it this lease. */
  add(waiter: Waiter, lease: Lease): void {
    lease.waiter = waiter;
    waiter.queuedAt = lease;
    this.#queueOf(lease).insert(waiter);
  }

  /** Removes and returns the lease's waiter. */
  remove(lease: Lease): Waiter | undefined {
    const { waiter } = lease;
    if (waiter === undefined) return undefined;
    this.#queueOf(lease).remove(waiter);
    lease.waiter = undefined;
    waiter.queuedAt = undefined;
    return waiter;
  }

  /** The waiters' leases: a copy, in order of arrival. */
  leases(): Lease[] {
    const leases: Lease[] = [];
    for (const { oldest } of [this.#sent, this.#unsent]) {
      for (let next = oldest; next !== undefined; next = next.behind) {
        leases.push(next.queuedAt as Lease);
      }
    }
    return leases;
  }

  #queueOf({ state }: Lease): FifoQueue {
    return state === 'unsent' ? this.#unsent : this.#sent;
  }
}
