import type { Clock } from '../clock.ts';
import { throwLater } from '../errors.ts';
import type { BasePermit } from './permit.ts';
import type { Priority } from './priority.ts';
import type { Rejection } from './rejection.ts';

/**
 * A caller that requests a permit. A request object extends this class and so is its own waiter: it contains
 * the links of the queue, and needs no promise, timer or AbortController unless it must wait. While it is queued, its
 * properties must not change, since queues find it by them.
 */
export abstract class Waiter {
  /** How much of the limit the request uses. */
  weight = 1;
  /**
   * Which requests `byPriority()` serves first, and a guard sheds last; the default limit lets `critical` ones wait
   * longer.
   */
  priority: Priority = 'normal';

  // Declared without a value, so that most waiters allocate no fields for them.
  /** The key that the request counts against, if the limit is keyed. */
  declare key: string | undefined;
  /** This key's own limit, if keys differ. */
  declare limit: number | undefined;
  /** Groups requests for `fair()`. */
  declare fairBy: string | undefined;
  /** Name of the request's share, if the limit is divided by `byShare()`. */
  declare share: string | undefined;
  /** Maximum wait in milliseconds; if undefined, the limiter's `queueTimeout`. */
  declare queueTimeout: number | undefined;

  /** @internal When it was queued at a default limit. */
  declare joinedAt: number | undefined;

  /** @internal Identifies the request in events. Undefined before its first event. */
  declare identity: object | undefined;

  /** @internal Whether shadow mode has reported that the request would have been rejected. */
  declare isReported: boolean | undefined;

  /**
   * Receives the permit, now or later, at most once. Never called from inside the `granted` of another queued waiter.
   */
  abstract granted(permit: BasePermit): void;
  /** Receives the rejection, instead of a permit. */
  abstract rejected(rejection: Rejection): void;

  /**
   * Returns whether the request may be queued or wait for a store. If not, it is rejected (`full`). Must not call the
   * limiter.
   */
  mayJoin(): boolean {
    return true;
  }

  /** Called after `mayJoin`, when the request has been queued or waits for a store. */
  queued(): void {}

  /**
   * Called after `queued`, when a store has enqueued the waiter. If it returns false, the waiter is rejected (`full`).
   */
  mayStay(): boolean {
    return true;
  }

  /** @internal Maximum number of waiters that its gate allows, in addition to the limit's own queue limit. */
  get gateQueueLimit(): number {
    return Infinity;
  }

  /** @internal In shadow mode, called before the grant if the limit would have rejected the request. */
  exceeds(_rejection: Rejection): void {}

  /**
   * Returns whether the caller has left. Called just before a grant: the waiter is then withdrawn. Called again when the
   * permit of a waiter that was queued is released: the answer then came too late. Must not call the limiter.
   */
  gone(): boolean {
    return false;
  }

  /** @internal Whether the caller itself has set how long it waits, so that it does not leave before. */
  get isPatient(): boolean {
    return false;
  }

  /** Called when the waiter has been removed from the queue because its caller has left. */
  withdrawn(): void {}

  /** @internal Deadline in whole milliseconds (a double would be a heap object); 0: none. */
  deadline = 0;
  /** @internal Time of enqueueing, in whole milliseconds. */
  since = 0;
  /** @internal Number in the order of arrival; 0 if it has not been queued. */
  arrival = 0;
  /**
   * @internal The object at which the waiter is queued: a semaphore; for a distributed limit, the waiter's lease; for a
   * gate, the gate's waiter for the same request.
   */
  queuedIn: object | undefined = undefined;
  /** @internal The bucket of waiters with the same timeout; `sooner` and `later` link them. */
  timeoutBucket: TimeoutBucket | undefined = undefined;
  /** @internal */
  sooner: Waiter | undefined = undefined;
  /** @internal */
  later: Waiter | undefined = undefined;
  /** @internal */
  ahead: Waiter | undefined = undefined;
  /** @internal */
  behind: Waiter | undefined = undefined;
}

/** Waiters with the same timeout, in the order of their deadlines, so only the first can expire next. */
export class TimeoutBucket {
  first: Waiter | undefined = undefined;
  last: Waiter | undefined = undefined;
  /**
   * A lower bound of the first waiter's deadline. It is updated lazily, so that most changes need not move the bucket.
   */
  due = 0;
  /** Index in the heap. */
  index = 0;

  constructor(
    readonly deadlines: { readonly clock: Clock; sweep(): void },
    readonly timeout: number,
  ) {}
}

/** Grants the permit, and releases it if the waiter throws. */
export function grant(waiter: Waiter, permit: BasePermit): void {
  try {
    waiter.granted(permit);
  } catch (error) {
    permit.release('ignored');
    throw error;
  }
}

/**
 * Grants the permit to a queued waiter. If the waiter throws, the error must not affect the caller whose release made
 * room.
 */
export function grantQueued(waiter: Waiter, permit: BasePermit): void {
  try {
    waiter.granted(permit);
  } catch (error) {
    throwLater(error);
    permit.release('ignored');
  }
}

/** Returns an object without data, since the waiter contains a key and references that must not be logged. */
export function identityOf(waiter: Waiter): object {
  waiter.identity ??= {};
  return waiter.identity;
}

/** The identity for the last event of a request. If the waiter is reused, its next request gets another identity. */
export function endIdentity(waiter: Pick<Waiter, 'identity'>): object {
  const { identity } = waiter;
  if (identity === undefined) return {};
  waiter.identity = undefined;
  return identity;
}

/** Informs a waiter that it is queued. Its error must not affect the limit. */
export function announce(waiter: Waiter): void {
  try {
    waiter.queued();
  } catch (error) {
    throwLater(error);
  }
}

export function isGone(waiter: Waiter): boolean {
  try {
    return waiter.gone();
  } catch (error) {
    throwLater(error);
    return true;
  }
}

/** Whole milliseconds. */
export function waitedSince(since: number, now: number): number {
  return Math.max(0, Math.round(now - since));
}
