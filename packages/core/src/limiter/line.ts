import type { Clock } from '../clock.ts';
import { invalid } from '../errors.ts';
import type { Priority } from './priority.ts';
import type { Waiter } from './waiter.ts';

/** Not of this module alone: limiters and gates of two copies of the package work together (docs/decisions/0023). */
const arrivals = Symbol.for('headgate.arrivals');
const counters = globalThis as { [arrivals]?: { latest: number } };
counters[arrivals] ??= { latest: 0 };
const counter = counters[arrivals];

/** The next number in the order of arrival, which is one order for all lines of the process. */
export function nextArrival(): number {
  return ++counter.latest;
}

/** Those who wait at a limit, or for one key of it. All of it is synchronous, and calls nobody back. */
export interface Line {
  /** How many wait. */
  readonly length: number;
  /** The weight of all who wait. */
  readonly weight: number;
  /** Who has come first. */
  readonly oldest: Waiter | undefined;
  /** Who has come last of those who wait; in a line of several, who is the first to go for somebody of a higher rank. */
  readonly youngest: Waiter | undefined;
  /** Who is let in next. */
  readonly next: Waiter | undefined;
  /** The waiter, no heavier than `room`, that may be admitted while `chosen` is next and does not fit. Default: none. */
  besides?(chosen: Waiter, room: number): Waiter | undefined;
  /** Who has waited for so long that others are better served, though its own time is not up. */
  readonly stale: Waiter | undefined;
  /** Who makes room for a newcomer where the line is full; undefined: the newcomer is turned away. */
  spare(newcomer: Waiter): Waiter | undefined;
  /** Whether it may be next: it is the one to ask about when somebody comes or leaves. */
  mayBeNext(waiter: Waiter): boolean;
  /** It begins to wait. In the order of `arrival`, which may be earlier than that of others who wait already. */
  insert(waiter: Waiter): void;
  /** It waits no longer, from wherever it stands; `isGranted` where it has been let in. */
  remove(waiter: Waiter, isGranted: boolean): void;
  /** The highest class of those who wait, where the line knows classes. */
  readonly highest?: Priority | undefined;
  /** Somebody of this share has come in, or with a weight below 0 gone: for a line that divides the limit. */
  hold?(share: string | undefined, weight: number): void;
}

/** Marks the lines of this package, which need not be watched. */
export abstract class BuiltInLine {}

/** Where a line stands. */
export interface Site {
  readonly clock: Clock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Of those who wait there; it may move. */
  readonly limit: number;
}

/** Makes a limiter's line, one for each key: what `fifo()`, `lifo()`, `codel()`, `byPriority()`, `byParty()` and `byShare()` are. */
export interface Order {
  create(site: Site): Line;
  /** Whether its lines know classes, and say which is the `highest`. */
  readonly ranks?: boolean | undefined;
  /** Of the shares that its lines divide the limit into. */
  readonly shareNames?: readonly string[] | undefined;
}

/** @throws HeadgateError for what makes no line. */
export function checkOrder(order: Order): Order {
  if (typeof order?.create === 'function') return order;
  const expected = 'fifo(), lifo(), codel(), byPriority(), byParty(), byShare() or your own';
  throw invalid('order', expected, order);
}

/** @throws HeadgateError for what makes no line, or divides the limit, which a line within another cannot. */
export function checkInner(order: Order): Order {
  if (checkOrder(order).shareNames === undefined) return order;
  throw invalid('order', 'one without byShare(), which goes around all others', order);
}
