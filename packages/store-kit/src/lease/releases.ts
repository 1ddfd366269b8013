import { startTimer } from '@headgate/core/engine';
import type { Answer, LeaseStore, LimitRef } from '../contract.ts';
import type { Batch } from './batch.ts';
import { type Lease, slackPart } from './lease.ts';

/** Sends the release of each ended lease until the store has confirmed it or the lease has expired by itself. */
export class Releases {
  /** Unconfirmed releases, each with the time at which its lease has certainly expired. */
  readonly #unconfirmed = new Map<Lease, number>();
  /** Releases that must be sent again. */
  readonly #failed: Lease[] = [];
  /**
   * Leases that the store granted or queued after their release was sent: the store may have handled the release first.
   */
  readonly #known = new Set<Lease>();
  #cancelTimer: (() => void) | undefined = undefined;
  #whenConfirmed: (() => void)[] = [];

  constructor(
    private readonly store: LeaseStore,
    private readonly batch: Batch,
  ) {}

  /** Releases a lease that the store may know. `wasHeld` says whether the store should hold it. */
  add(lease: Lease, wasHeld: boolean): void {
    if (this.#unconfirmed.has(lease)) {
      this.#known.add(lease);
      return;
    }
    this.#unconfirmed.set(lease, this.store.clock.now() + this.store.leaseDuration);
    this.#send(lease, wasHeld);
  }

  /** Sends failed releases again. */
  sendAgain(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const lease of this.#failed.splice(0)) this.#send(lease, false);
  }

  /** Resolves when the store has confirmed all releases, or after the timeout of a call. */
  confirmed(): Promise<void> {
    if (this.#unconfirmed.size === 0) return Promise.resolve();
    const { clock, timeout } = this.store;
    return new Promise((resolve) => {
      const cancel = startTimer(clock, timeout, resolve);
      this.#whenConfirmed.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #send(lease: Lease, wasHeld: boolean): void {
    const ref = lease.semaphore.refOfRelease;
    const request = lease.presentRequest(this.store.clock.now(), ref);
    this.batch.add({ verb: 'release', lease: request }, (answer) =>
      this.#answered(lease, wasHeld, ref, answer),
    );
  }

  #answered(lease: Lease, wasHeld: boolean, ref: LimitRef, answer: Answer): void {
    const { semaphore } = lease;
    const now = this.store.clock.now();
    const hasFailed = 'error' in answer;
    const isLost = !hasFailed && answer.state === 'lost';
    if (wasHeld && isLost) semaphore.dropped(lease);
    // If a lease had several requests, the store may have handled the release before a `stay`, which then rejoined the
    // queue.
    const mayBeKnown = this.#known.delete(lease) && (isLost || lease.requests > 1);
    if (mayBeKnown) return this.#send(lease, false);
    if (hasFailed && now < (this.#unconfirmed.get(lease) ?? 0)) {
      this.#failed.push(lease);
      return this.#sendLater();
    }
    this.#unconfirmed.delete(lease);
    if (this.#unconfirmed.size === 0) for (const done of this.#whenConfirmed.splice(0)) done();
    if (!hasFailed) semaphore.learn(answer, 'release', ref);
  }

  #sendLater(): void {
    const { clock, leaseDuration } = this.store;
    const delay = leaseDuration * slackPart;
    this.#cancelTimer ??= startTimer(clock, delay, () => this.sendAgain(), true);
  }
}
