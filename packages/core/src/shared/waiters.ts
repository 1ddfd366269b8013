import { FifoLine } from '../limiter/orders/fifo.ts';
import type { Waiter } from '../limiter/waiter.ts';
import type { Lease } from './lease.ts';

/** Those who wait in this process, each with a lease of its own, in order of arrival. */
export class Waiters {
  /** Whose lease the store has been asked for. */
  readonly #sent = new FifoLine();
  /** Whose it has not. */
  readonly #unsent = new FifoLine();

  get length(): number {
    return this.#sent.length + this.#unsent.length;
  }

  /** How many the store has been asked for. */
  get sent(): number {
    return this.#sent.length;
  }

  get first(): Waiter | undefined {
    return this.#sent.oldest ?? this.#unsent.oldest;
  }

  /** The first whose lease the store has not been asked for. */
  get firstUnsent(): Waiter | undefined {
    return this.#unsent.oldest;
  }

  /** It waits for this lease from now on. */
  add(waiter: Waiter, lease: Lease): void {
    lease.waiter = waiter;
    waiter.place = lease;
    this.#lineOf(lease).insert(waiter);
  }

  /** It waits for its lease no longer. */
  remove(lease: Lease): Waiter | undefined {
    const { waiter } = lease;
    if (waiter === undefined) return undefined;
    this.#lineOf(lease).remove(waiter);
    lease.waiter = undefined;
    waiter.place = undefined;
    return waiter;
  }

  /** Their leases: a copy, in order of arrival. */
  leases(): Lease[] {
    const leases: Lease[] = [];
    for (const { oldest } of [this.#sent, this.#unsent]) {
      for (let next = oldest; next !== undefined; next = next.behind) {
        leases.push(next.place as Lease);
      }
    }
    return leases;
  }

  #lineOf({ state }: Lease): FifoLine {
    return state === 'unsent' ? this.#unsent : this.#sent;
  }
}
