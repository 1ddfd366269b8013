import { startTimer } from '../clock.ts';
import type { LeaseStore } from './contract.ts';
import type { Lease } from './lease.ts';

/** Maximum time in milliseconds for which a process keeps a lease idle, or hands it on. */
export const maxIdleTime = 100;

/** Leases that are kept idle for a moment, so that the next requests need no round trip. */
export class Reserve {
  readonly #idle: Lease[] = [];
  #cancel: (() => void) | undefined;

  constructor(
    private readonly store: LeaseStore,
    private readonly release: (lease: Lease) => void,
  ) {}

  get size(): number {
    return this.#idle.length;
  }

  keep(lease: Lease): void {
    lease.since = this.store.clock.now();
    this.#idle.push(lease);
    if (this.#cancel === undefined) this.#arm(maxIdleTime);
  }

  /** Takes the most recently used lease of this weight, so that the others can be released. */
  take(weight: number): Lease | undefined {
    const index = this.#idle.findLastIndex((lease) => lease.weight === weight);
    return index < 0 ? undefined : this.#idle.splice(index, 1)[0];
  }

  remove(lease: Lease): void {
    const index = this.#idle.indexOf(lease);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  /** Releases all leases that have been idle since this time or longer. */
  empty(since = Infinity): void {
    while (this.#idle[0] !== undefined && this.#idle[0].since <= since) {
      this.release(this.#idle.shift() as Lease);
    }
    if (this.#idle.length > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(delay: number): void {
    this.#cancel = startTimer(this.store.clock, delay, () => {
      this.#cancel = undefined;
      const now = this.store.clock.now();
      this.empty(now - maxIdleTime);
      const oldest = this.#idle[0];
      if (oldest !== undefined) this.#arm(oldest.since + maxIdleTime - now);
    });
  }
}
