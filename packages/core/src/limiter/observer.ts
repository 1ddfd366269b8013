import { checkMethods, checkNames } from '../checks.ts';
import { throwLater } from '../errors.ts';
import type { Outcome } from './permit.ts';
import type { Rejection } from './rejection.ts';
import type { StoreError } from './store-error.ts';

/** `name` is the limiter's or the gate's. Times are in milliseconds. No event carries a key. */
interface Event {
  readonly name: string;
}

/**
 * Receives what happens at a limiter or a gate: the basis of metrics and logs. Every callback is optional and
 * synchronous, and read once, when the limiter or the gate is made. One that throws disturbs no caller: its error
 * surfaces as an uncaught exception.
 */
export interface Observer {
  admitted?(event: Event & { weight: number; waited: number }): void;
  /** Somebody begins to wait. `queued` counts them too. */
  queued?(event: Event & { weight: number; queued: number }): void;
  /** `shadow` tells that the caller was let through all the same. */
  rejected?(event: Event & { rejection: Rejection; shadow: boolean }): void;
  /** Somebody went away while waiting. */
  withdrawn?(event: Event & { waited: number }): void;
  released?(
    event: Event & { weight: number; waited: number; held: number; outcome: Outcome },
  ): void;
  resized?(event: Event & { limit: number }): void;
  /** A permit was held for longer than `maxHold`; it has been given back. */
  leaked?(event: Event & { weight: number; held: number }): void;
  /**
   * The store of a shared limit is away, or back. With `up` and an error: it has refused a call, or its messages do not
   * arrive; when they arrive again, `up` without an error.
   */
  store?(event: Event & { up: boolean; error: StoreError | undefined }): void;
  /**
   * The store of a shared limit becomes slower and slower for this reason, or with none, does so no longer. One process
   * says so, of all that share it.
   */
  slowed?(event: Event & { reason: string | undefined }): void;
  /**
   * A permit of a shared limit has outlived its lease; its signal aborts. Or its release found that the store did not hold
   * it any more.
   */
  lost?(event: Event & { weight: number }): void;
  /** Leases of a shared limit were found expired, of whatever process. */
  reclaimed?(event: Event & { count: number }): void;
  /** Another process has declared another limit by this name, later; it applies. Said once. */
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

/** Only the callbacks that are there, so that nobody makes events that nobody sees; they do not throw. */
export function checkObserver(observer: Observer = {}): Observer {
  checkMethods('observer', observer, kinds, true);
  // One of a class may have members of its own.
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
