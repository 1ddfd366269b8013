import { checkMethods, checkNames } from '../checks.ts';
import type { Clock } from '../clock.ts';
import { throwLater } from '../errors.ts';
import type { Outcome } from '../limits/limit.ts';
import type { Rejection, RejectionReason, StoreError } from './rejection.ts';
import { type Waiter, waitedSince } from './waiter.ts';

/** `name` is the name of the limiter or the gate. Times are in milliseconds. No event carries a key. */
interface Event {
  readonly name: string;
}

/**
 * Receives the events of a limiter or a gate, for metrics and logs. Every callback is optional and synchronous, and is
 * read once, when the limiter or the gate is created. An error thrown by a callback surfaces as an uncaught
 * exception and does not affect callers.
 */
export interface Observer {
  /** A request was granted a permit. `waited` is in milliseconds. */
  admitted?(event: Event & { weight: number; waited: number }): void;
  /** A waiter was enqueued. `queued` is the number of waiters, including this one. */
  queued?(event: Event & { weight: number; queued: number }): void;
  /** A request was rejected. With `shadow` it was admitted anyway. */
  rejected?(event: Event & { rejection: Rejection; shadow: boolean }): void;
  /** A waiter left the queue before it was admitted or rejected. */
  withdrawn?(event: Event & { waited: number }): void;
  /** A permit was released. `held` is in milliseconds. */
  released?(
    event: Event & { weight: number; waited: number; held: number; outcome: Outcome },
  ): void;
  /** The limit has changed: by the app, by its algorithm, or by another process. */
  resized?(event: Event & { limit: number }): void;
  /** A permit was held for longer than `maxHold`; `released` follows. */
  leaked?(event: Event & { weight: number; held: number }): void;
  /**
   * The store of a distributed limit has become unavailable or available again. `up` with an error: the store has
   * refused a call, or its messages do not arrive; once they arrive again, `up` without an error follows.
   */
  store?(event: Event & { up: boolean; error: StoreError | undefined }): void;
  /**
   * The store of a distributed limit becomes slower and slower for this reason; without a reason, it no longer does.
   * Only one of the processes that use the store reports it.
   */
  slowed?(event: Event & { reason: string | undefined }): void;
  /**
   * A permit of a distributed limit has lost its lease: its signal aborts, or its release found that the store no
   * longer had the lease.
   */
  lost?(event: Event & { weight: number }): void;
  /** Expired leases of a distributed limit, of any process, were removed. */
  reclaimed?(event: Event & { count: number }): void;
  /** Another process has later declared a different limit of this name, which applies. Reported once. */
  conflict?(event: Event & { declared: number; limit: number }): void;
}

const kinds = [
  'admitted',
  'queued',
  'rejected',
  'withdrawn',
  'released',
  'resized',
  'leaked',
  'store',
  'slowed',
  'lost',
  'reclaimed',
  'conflict',
] as const satisfies readonly (keyof Observer)[];

/** Returns only the callbacks that exist, so that no unused events are created, wrapped so that they do not throw. */
export function checkObserver(observer: Observer = {}): Observer {
  checkMethods('observer', observer, kinds, true);
  // An instance of a class may have members of its own.
  const prototype = Object.getPrototypeOf(observer);
  if (prototype === Object.prototype || prototype === null) checkNames('observer', observer, kinds);
  const safe: Record<string, (event: never) => void> = {};
  for (const kind of kinds) {
    const callback = observer[kind] as ((event: never) => void) | undefined;
    if (callback === undefined) continue;
    safe[kind] = (event) => {
      try {
        callback.call(observer, event);
      } catch (error) {
        throwLater(error);
      }
    };
  }
  return safe;
}

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
