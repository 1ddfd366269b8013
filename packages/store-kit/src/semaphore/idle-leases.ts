import type { Clock } from '@headgate/core';
import { startTimer } from '@headgate/core/engine';
import type { AssignedLease } from './assigned-lease.ts';

/** Maximum time in milliseconds for which a process keeps a lease idle, or keeps handing it to its own waiters. */
export const MAX_IDLE_TIME = 100;

/** The leases of one semaphore that are kept idle for a moment, so that the next request needs no round trip. */
export class IdleLeases {
  /** The most recently used lease is at the end. */
  private readonly leases: AssignedLease[] = [];
  private cancelTimer: (() => void) | undefined = undefined;

  constructor(
    private readonly clock: Clock,
    private readonly evict: (leases: readonly AssignedLease[]) => void,
  ) {}

  get length(): number {
    return this.leases.length;
  }

  add(lease: AssignedLease): void {
    lease.since = this.clock.now();
    this.leases.push(lease);
    if (this.cancelTimer === undefined) this.#arm(MAX_IDLE_TIME);
  }

  /** Removes and returns the most recently used lease of this weight. The others then age and are evicted. */
  take(weight: number): AssignedLease | undefined {
    const lease = this.leases.findLast((idle) => idle.weight === weight);
    if (lease !== undefined) this.delete(lease);
    return lease;
  }

  delete(lease: AssignedLease): void {
    const index = this.leases.indexOf(lease);
    if (index >= 0) this.leases.splice(index, 1);
  }

  /** Evicts all leases that have been idle for long enough at this time. */
  clear(now = Infinity): void {
    const kept = this.leases.findIndex((lease) => lease.since + MAX_IDLE_TIME > now);
    const old = this.leases.splice(0, kept < 0 ? Infinity : kept);
    if (this.leases.length === 0) {
      this.cancelTimer?.();
      this.cancelTimer = undefined;
    }
    if (old.length > 0) this.evict(old);
  }

  #arm(delay: number): void {
    this.cancelTimer = startTimer(this.clock, delay, () => {
      this.cancelTimer = undefined;
      const now = this.clock.now();
      this.clear(now);
      const oldest = this.leases[0];
      if (oldest !== undefined) this.#arm(oldest.since + MAX_IDLE_TIME - now);
    });
  }
}
