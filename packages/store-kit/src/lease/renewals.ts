import { startTimer } from '@headgate/core/engine';
import { certainPart, type LeaseStore } from '../contract.ts';
import { type Lease, renewalPart, retryPart, slackPart } from './lease.ts';

/** Renews the leases that the store may have. Uses one timer, which does not keep the process alive. */
export class Renewals {
  readonly #leases = new Map<string, Lease>();
  #wakeAt = Infinity;
  #cancel = () => {};

  constructor(
    private readonly store: LeaseStore,
    private readonly ask: (verb: 'renew' | 'stay', lease: Lease) => void,
    private readonly lost: (lease: Lease) => void,
  ) {}

  get(id: string): Lease | undefined {
    return this.#leases.get(id);
  }

  add(lease: Lease): void {
    this.#leases.set(lease.id, lease);
  }

  /** Returns whether the store may have had the lease. */
  delete(lease: Lease): boolean {
    return this.#leases.delete(lease.id);
  }

  get isEmpty(): boolean {
    return this.#leases.size === 0;
  }

  get isWaiting(): boolean {
    for (const { state } of this.#leases.values()) if (state === 'queued') return true;
    return false;
  }

  /** The store has confirmed the lease, as requested at `sent`. */
  confirmed(lease: Lease, sent: number): void {
    lease.confirmed(sent, sent + this.#length(sent) * renewalPart);
    this.#wakeBy(lease.renewAt);
  }

  /** Renews the lease at this time at the latest. */
  renewBy(lease: Lease, at: number): void {
    if (at >= lease.renewAt) return;
    lease.renewBy(at);
    this.#wakeBy(at);
  }

  /** Renews all leases, held ones first: a store that has lost its state must have these before it grants others. */
  renewAll(): void {
    const leases = [...this.#leases.values()];
    for (const state of ['held', 'queued']) {
      for (const lease of leases) if (lease.state === state) this.#renew(lease);
    }
  }

  /** Renews leases that are due or nearly due, so that they share round trips from then on. */
  tend(): void {
    const { clock, leaseDuration } = this.store;
    const now = clock.now();
    this.#wakeAt = Infinity;
    let next = Infinity;
    for (const lease of [...this.#leases.values()]) {
      const end = () => this.store.certainUntil(lease.confirmedAt);
      if (lease.state === 'held' && now >= end()) this.lost(lease);
      else if (lease.renewAt <= now + leaseDuration * slackPart) this.#renew(lease);
      if (lease.state === 'held') next = Math.min(next, end());
      if (lease.state !== 'ended') next = Math.min(next, lease.renewAt);
    }
    this.#wakeBy(next);
  }

  /** Sets the timer to this time, unless it is due earlier. */
  #wakeBy(at: number): void {
    if (at >= this.#wakeAt) return;
    const { clock } = this.store;
    this.#cancel();
    this.#wakeAt = at;
    this.#cancel = startTimer(clock, Math.max(0, at - clock.now()), () => this.tend(), true);
  }

  #renew(lease: Lease): void {
    // Retries if there is no answer.
    lease.renewBy(this.store.clock.now() + this.#length(lease.confirmedAt) * retryPart);
    this.ask(lease.state === 'held' ? 'renew' : 'stay', lease);
  }

  /**
   * Effective duration in milliseconds of a lease confirmed at this time. It is shorter if the store may end leases
   * early.
   */
  #length(confirmedAt: number): number {
    const { leaseDuration: whole } = this.store;
    const certain = this.store.certainUntil(confirmedAt) - confirmedAt;
    return certain > 0 ? Math.min(certain / certainPart, whole) : whole;
  }
}
