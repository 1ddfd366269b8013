import type { Clock } from '../clock.ts';
import type { Observer } from './observer.ts';
import type { Rejection, RejectionReason } from './rejection.ts';
import { type Waiter, waitedSince } from './waiter.ts';

interface CounterSettings {
  readonly name: string;
  readonly clock: Clock;
  readonly observer: Observer;
}

/** Counts rejections and withdrawals, and reports them and new waiters to the observer. */
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

  queued(weight: number, queued: number): void {
    const { name, observer } = this.settings;
    observer.queued?.({ name, weight, queued });
  }

  rejected(rejection: Rejection, shadow = false): void {
    const { name, observer } = this.settings;
    this.rejections[rejection.reason]++;
    observer.rejected?.({ name, rejection, shadow });
  }

  withdrawn({ since }: Waiter): void {
    const { name, clock, observer } = this.settings;
    this.withdrawals++;
    observer.withdrawn?.({ name, waited: waitedSince(since, clock.now()) });
  }
}
