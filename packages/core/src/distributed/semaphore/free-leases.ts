import { startTimer } from '../../clock.ts';
import { grantFrom, type Served } from '../../semaphore/grants.ts';
import type { Session } from '../lease/session.ts';
import type { AssignedLease } from './distributed-permit.ts';
import type { HeldPermits } from './held-permits.ts';

/** Maximum time in milliseconds for which a process keeps a lease idle, or hands it on. */
const MAX_IDLE_TIME = 100;

/**
 * Leases whose permit was released: each passes to a waiter of this process, or is kept idle for a moment, so that the
 * next request needs no round trip, or goes back to the store.
 */
export class FreeLeases implements Served {
  ready = false;
  private readonly idle: AssignedLease[] = [];
  private readonly passing: AssignedLease[] = [];
  private cancel: (() => void) | undefined = undefined;

  constructor(
    private readonly held: HeldPermits,
    private readonly session: Session,
    /** Returns whether leases may be reused without a call to the store. */
    private readonly isUp: () => boolean,
    /** Grants the lease to the next waiter. */
    private readonly pass: (lease: AssignedLease) => void,
    /** Idle leases were released. */
    private readonly released: () => void,
  ) {}

  /** Takes a lease, given the weight of the first waiter of this process, and whether other processes have waiters. */
  add(lease: AssignedLease, nextWeight: number | undefined, othersWait: boolean): void {
    if (nextWeight === lease.weight && this.#mayPass(lease)) {
      this.passing.push(lease);
      grantFrom(this);
    } else if (nextWeight === undefined && !othersWait && this.#mayKeep(lease)) {
      lease.since = this.#now();
      this.idle.push(lease);
      if (this.cancel === undefined) this.#arm(MAX_IDLE_TIME);
    } else this.held.return(lease);
  }

  serve(): void {
    // The array may grow during the iteration.
    for (const lease of this.passing) this.pass(lease);
    this.passing.length = 0;
  }

  /** Takes the most recently used lease of this weight, so that the others can be released. */
  take(weight: number): AssignedLease | undefined {
    const index = this.idle.findLastIndex((lease) => lease.weight === weight);
    if (index < 0) return undefined;
    const lease = this.idle.splice(index, 1)[0] as AssignedLease;
    if (this.session.isCertain(lease)) return lease;
    this.held.return(lease);
    return undefined;
  }

  /** The lease was lost. */
  remove(lease: AssignedLease): void {
    const index = this.idle.indexOf(lease);
    if (index >= 0) this.idle.splice(index, 1);
  }

  /** Releases all leases that have been idle since this time or longer. */
  empty(since = Infinity): void {
    const kept = this.idle.findIndex((lease) => lease.since > since);
    const old = this.idle.splice(0, kept < 0 ? Infinity : kept);
    for (const lease of old) this.held.return(lease);
    if (this.idle.length === 0) {
      this.cancel?.();
      this.cancel = undefined;
    }
    if (old.length > 0) this.released();
  }

  #mayPass(lease: AssignedLease): boolean {
    if (lease.uses > this.held.limit.settings.handoff) return false;
    return this.#now() - lease.since < MAX_IDLE_TIME && this.#isUsable(lease);
  }

  #mayKeep(lease: AssignedLease): boolean {
    const { settings, terms } = this.held.limit;
    if (this.idle.length >= settings.reserve || lease.uses > terms.spare) return false;
    return this.#isUsable(lease);
  }

  #isUsable(lease: AssignedLease): boolean {
    return this.isUp() && lease.state === 'held' && this.session.isCertain(lease);
  }

  #arm(delay: number): void {
    this.cancel = startTimer(this.session.store.clock, delay, () => {
      this.cancel = undefined;
      const now = this.#now();
      this.empty(now - MAX_IDLE_TIME);
      const oldest = this.idle[0];
      if (oldest !== undefined) this.#arm(oldest.since + MAX_IDLE_TIME - now);
    });
  }

  #now(): number {
    return this.session.store.clock.now();
  }
}
