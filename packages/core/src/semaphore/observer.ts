import { checkMethods, checkNames } from '../checks.ts';
import { throwLater } from '../errors.ts';
import type { Outcome } from '../limits/limit.ts';
import type { Rejection, StoreError } from './rejection.ts';

/** `name` is the name of the limiter, the gate or the guard. Times are in milliseconds. No event carries a key. */
interface Event {
  readonly name: string;
}

interface RequestEvent extends Event {
  /**
   * An empty object that identifies the request: all events of a request have the same one. Use it as a key of a
   * `WeakMap`, or set properties on it whose names are your own symbols.
   */
  readonly request: object;
}

/** What an operator can do with a limiter or a guard at run time. */
export type Operation = 'setLimit' | 'pause' | 'rejectAll' | 'resume' | 'shadow' | 'enforce';

/**
 * Receives the events of a limiter or a gate, for metrics and logs. Every callback is optional and synchronous.
 * Callbacks are read once, when the observer is added. An error thrown by a callback surfaces as an uncaught exception
 * and does not affect callers. For a queued request, `admitted` is called in the async context of the request that made
 * room for it.
 */
export interface Observer {
  /** A request was granted a permit. `waited` is in milliseconds. */
  admitted?(event: RequestEvent & { weight: number; waited: number }): void;
  /**
   * A request has asked the store of a distributed limit, whose answer then admits, queues or rejects it. Called in the
   * request's async context, unlike the later callbacks.
   */
  asked?(event: RequestEvent): void;
  /** A waiter was enqueued. `queued` is the number of waiters, including this one. */
  queued?(event: RequestEvent & { weight: number; queued: number }): void;
  /**
   * A request was rejected. If `shadow` is true, shadow mode has admitted the request and only reports the rejection. A
   * rejection that is found by simulation, such as a timeout, is reported after `admitted`.
   */
  rejected?(event: RequestEvent & { rejection: Rejection; shadow: boolean }): void;
  /** A waiter left the queue before it was admitted or rejected. */
  withdrawn?(event: RequestEvent & { waited: number }): void;
  /**
   * A permit was released. `held` is in milliseconds. It is undefined if no observer had a `released` callback when the
   * permit was granted, since the time is recorded only then.
   */
  released?(
    event: RequestEvent & {
      weight: number;
      waited: number;
      held: number | undefined;
      outcome: Outcome;
    },
  ): void;
  /**
   * The limit has changed: by the app, by its algorithm, or by another process. `reason` is that of an adaptive limit,
   * as in `stats()`.
   */
  resized?(event: Event & { limit: number; reason?: string | undefined }): void;
  /**
   * An operator has changed the limiter or the guard. Called before waiters are granted or rejected as a result.
   * `limit` is the limit after the change; undefined for a guard.
   */
  operated?(event: Event & { operation: Operation; limit: number | undefined }): void;
  /** A permit was held for longer than `maxHold`; `released` follows. */
  leaked?(event: Event & { weight: number; held: number }): void;
  /**
   * The store of a distributed limit has become unavailable or available again. If `up` is true and there is an
   * `error`, the store has refused a call, or its messages do not arrive. When they arrive again, the event follows
   * without an error.
   */
  store?(event: Event & { up: boolean; error: StoreError | undefined }): void;
  /**
   * The store of a distributed limit keeps getting slower for this `reason`; undefined once it no longer does. Only one
   * of the processes that use the store reports it.
   */
  slowed?(event: Event & { reason: string | undefined }): void;
  /**
   * A permit of a distributed limit has lost its lease. Either its signal aborts, or its release has found that the
   * store no longer has the lease.
   */
  lost?(event: Event & { weight: number }): void;
  /** Expired leases of a distributed limit, of any process, were removed. */
  reclaimed?(event: Event & { count: number }): void;
  /** Another process has declared a different limit under this name, which now applies. Reported once. */
  conflict?(event: Event & { declared: number; limit: number }): void;
}

export const kinds = [
  'admitted',
  'asked',
  'queued',
  'rejected',
  'withdrawn',
  'released',
  'resized',
  'operated',
  'leaked',
  'store',
  'slowed',
  'lost',
  'reclaimed',
  'conflict',
] as const satisfies readonly (keyof Observer)[];

/** Returns only the callbacks that exist, so that no unused events are created. The returned callbacks do not throw. */
export function checkObserver(observer: Observer, isRemoved: () => boolean): Observer {
  checkMethods('observer', observer, kinds, true);
  // An observer that is a class instance may have further members.
  const prototype = Object.getPrototypeOf(observer);
  if (prototype === Object.prototype || prototype === null) checkNames('observer', observer, kinds);
  const safe: Record<string, (event: never) => void> = {};
  for (const kind of kinds) {
    const callback = observer[kind] as ((event: never) => void) | undefined;
    if (callback === undefined) continue;
    safe[kind] = (event) => {
      // The callback of another observer may have removed this one during the same event.
      if (isRemoved()) return;
      try {
        callback.call(observer, event);
      } catch (error) {
        throwLater(error);
      }
    };
  }
  return safe;
}
