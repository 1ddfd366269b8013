import { HeadgateError, invalid, throwLater } from '../errors.ts';
import type { BasePermit } from './permit.ts';
import { checkPriority, type Priority } from './priority.ts';
import type { Rejection } from './rejection.ts';
import type { Term } from './terms.ts';

/**
 * What asks for a permit. A request extends this class and so is its own waiter: the links of the line live
 * in it, and it needs no promise, timer or AbortController unless it must wait.
 */
export abstract class Waiter {
  /** Of a keyed limit: whose. */
  key: string | undefined = undefined;
  /** How much of the limit it takes. */
  weight = 1;
  /** This key's own limit, where keys differ. */
  limit: number | undefined = undefined;
  /** Asked by `byPriority()` only. */
  priority: Priority = 'normal';
  /** Whom it is for: asked by `byParty()` only. Declared, as most say nothing of it, and need no room for it. */
  declare party: string | undefined;
  /** Of which share of the limit it is, where that is divided by `byShare()`. */
  declare share: string | undefined;
  /** Milliseconds it may wait; the limiter's `queueTimeout` where undefined. */
  queueTimeout: number | undefined = undefined;

  /** The answer, given once: now or later, never within another waiter's answer. */
  abstract granted(permit: BasePermit): void;
  /** The other answer. */
  abstract rejected(rejection: Rejection): void;

  /** About to wait, in a line or for the word of a store: false declines, and the answer is a rejection (`full`). */
  joins(): boolean {
    return true;
  }

  /** A store has put it into its line: false declines, and the answer is a rejection (`full`). `joins` was asked before. */
  queues(): boolean {
    return true;
  }

  /** Asked just before a grant: has the caller gone away unnoticed? Then no answer follows. */
  gone(): boolean {
    return false;
  }

  /** @internal When its time is up, in whole milliseconds (a double would be an object of its own); 0: never. */
  deadline = 0;
  /** @internal When it began to wait, in whole milliseconds. */
  since = 0;
  /** @internal Its number in the order of arrival; 0 while it has not had to wait. */
  arrival = 0;
  /** @internal Where it waits: in a pool, for a lease, or at a gate of several limits in the guise of this waiter. */
  place: object | undefined = undefined;
  /** @internal Those with the same patience, and its place among them. */
  term: Term | undefined = undefined;
  /** @internal */
  sooner: Waiter | undefined = undefined;
  /** @internal */
  later: Waiter | undefined = undefined;
  /** @internal */
  ahead: Waiter | undefined = undefined;
  /** @internal */
  behind: Waiter | undefined = undefined;
}

/** Hands the permit over; from a waiter that throws it is taken back. */
export function grant(waiter: Waiter, permit: BasePermit): void {
  try {
    waiter.granted(permit);
  } catch (error) {
    permit.release('ignored');
    throw error;
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

/** @throws HeadgateError for a class or a party that is none: a line would fail of it later, and not only for this one. */
export function checkWishes({ priority, party }: Waiter): void {
  checkPriority(priority);
  if (party !== undefined && typeof party !== 'string') throw invalid('party', 'a string', party);
}

/** @throws HeadgateError where it waits already, at whatever limiter or gate. */
export function checkIdle({ place }: Waiter): void {
  if (place === undefined) return;
  throw new HeadgateError('ERR_HEADGATE_WAITING', 'the waiter is in a line already');
}
