import type { Clock } from '../clock.ts';
import type { Observers } from './observers.ts';
import type { Rejection, RejectionReason } from './rejection.ts';
import { endIdentity, identityOf, type Waiter, waitedSince } from './waiter.ts';

interface CounterSettings {
  readonly name: string;
  readonly clock: Clock;
  readonly observers: Observers;
}

/** Counts rejections and withdrawals, and reports them and new waiters to the observers. */
export class Counters {
  readonly rejections: Record<RejectionReason, number> = {
    full: 0,
    timeout: 0,
    closed: 0,
    overloaded: 0,
    store: 0,
  };
  withdrawals = 0;

  constructor(private readonly settings: CounterSettings) {}

  /** The statistics that limiters and gates have in common. */
  stats(
    { admitted, leaked }: { readonly admitted: number; readonly leaked: number },
    waiters: readonly (Waiter | undefined)[],
  ) {
    const now = this.settings.clock.now();
    let longestWait = 0;
    for (const waiter of waiters) {
      if (waiter !== undefined) longestWait = Math.max(longestWait, now - waiter.since);
    }
    const { rejections, withdrawals: withdrawn } = this;
    return { longestWait, admitted, rejected: { ...rejections }, withdrawn, leaked };
  }

  /** The waiter awaits the answer of a store. */
  asked(waiter: Waiter): void {
    const { name, observers } = this.settings;
    observers.asked?.({ name, request: identityOf(waiter) });
  }

  queued(waiter: Waiter, weight: number, queued: number): void {
    const { name, observers } = this.settings;
    observers.queued?.({ name, request: identityOf(waiter), weight, queued });
  }

  rejected(waiter: Waiter, rejection: Rejection, shadow = false): void {
    if (shadow && waiter.isReported) return;
    const { name, observers } = this.settings;
    this.rejections[rejection.reason]++;
    if (observers.rejected === undefined) return;
    // With `shadow`, its admission follows.
    const request = shadow ? identityOf(waiter) : endIdentity(waiter);
    observers.rejected({ name, request, rejection, shadow });
  }

  withdrawn(waiter: Waiter, since: number): void {
    const { name, clock, observers } = this.settings;
    this.withdrawals++;
    if (observers.withdrawn === undefined) return;
    const waited = waitedSince(since, clock.now());
    observers.withdrawn({ name, request: endIdentity(waiter), waited });
  }
}
