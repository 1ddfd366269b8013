import type { Clock } from '../clock.ts';
import type { Observers } from './observers.ts';
import type { PermitTracker } from './permit-tracker.ts';
import { noRejections, type Rejection } from './rejection.ts';
import { endIdentity, identityOf, type Waiter, waitedSince } from './waiter.ts';

interface CounterSettings {
  readonly name: string;
  readonly clock: Clock;
  readonly observers: Observers;
}

/** Counts rejections and withdrawals, and reports them and new waiters to the observers. */
export class Counters {
  readonly rejections = noRejections();
  /** Rejections that shadow mode has reported although it admitted the requests. */
  readonly wouldBeRejections = noRejections();
  withdrawals = 0;

  constructor(private readonly settings: CounterSettings) {}

  /** Returns the statistics that limiters and gates have in common. */
  stats(
    permits: Pick<PermitTracker, 'count' | 'abandoned' | 'admitted' | 'leaked'>,
    waiters: readonly (Waiter | undefined)[],
  ) {
    const now = this.settings.clock.now();
    let longestWait = 0;
    for (const waiter of waiters) {
      if (waiter !== undefined) longestWait = Math.max(longestWait, now - waiter.since);
    }
    const rejected = { ...this.rejections };
    const wouldReject = { ...this.wouldBeRejections };
    const { withdrawals: withdrawn } = this;
    const { count: holders, abandoned, admitted, leaked } = permits;
    return { holders, abandoned, longestWait, admitted, rejected, wouldReject, withdrawn, leaked };
  }

  /** The waiter is waiting for a store's answer. */
  asked(waiter: Waiter): void {
    const { name, observers } = this.settings;
    observers.asked?.({ name, request: identityOf(waiter) });
  }

  queued(waiter: Waiter, weight: number, queued: number): void {
    const { name, observers } = this.settings;
    observers.queued?.({ name, request: identityOf(waiter), weight, queued });
  }

  rejected(waiter: Waiter, rejection: Rejection): void {
    const { name, observers } = this.settings;
    this.rejections[rejection.reason]++;
    if (observers.rejected === undefined) return;
    observers.rejected({ name, request: endIdentity(waiter), rejection, shadow: false });
  }

  /** Shadow mode has admitted a request that would have been rejected. */
  rejectedInShadow(rejection: Rejection, request: object): void {
    const { name, observers } = this.settings;
    this.wouldBeRejections[rejection.reason]++;
    observers.rejected?.({ name, request, rejection, shadow: true });
  }

  withdrawn(waiter: Waiter, since: number): void {
    const { name, clock, observers } = this.settings;
    this.withdrawals++;
    if (observers.withdrawn === undefined) return;
    const waited = waitedSince(since, clock.now());
    observers.withdrawn({ name, request: endIdentity(waiter), waited });
  }
}
