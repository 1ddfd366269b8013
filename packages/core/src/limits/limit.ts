import { checkCount, checkNames } from '../checks.ts';
import { invalid } from '../errors.ts';
import type { Controller, ControllerContext } from './controller.ts';

/** How the work ended. `dropped`: it failed because of overload. `ignored`: its duration says nothing. */
export type Outcome = 'ok' | 'dropped' | 'ignored';

export const outcomes: readonly Outcome[] = ['ok', 'dropped', 'ignored'];

/** A finished piece of work, as an adaptive limit sees it. */
export interface Sample {
  /** Milliseconds from the admission to the release. */
  readonly rtt: number;
  /**
   * Weight in use at the end, including the work's own. Permits of requests that are queued at another limit do not
   * count.
   */
  readonly inflight: number;
  /** The weight of this work. */
  readonly weight: number;
  /** `ignored` work is never sampled. */
  readonly outcome: Exclude<Outcome, 'ignored'>;
  /** Time of the limiter's clock in milliseconds. */
  readonly now: number;
  /** The kind of work, if the caller has set one. */
  readonly kind: string | undefined;
}

/** Maximum number of kinds of work that a limit distinguishes; all others count as one. */
export const MAX_KINDS = 64;

/** Computes a limit, and may change it with each sample. */
export interface Limit {
  /** The highest weight in flight: a number from 1, which the limiter rounds down. */
  readonly limit: number;
  /** Milliseconds that work takes without load, as far as the limit knows it, for `stats()`. Default: undefined. */
  readonly baseline?: number | undefined;
  /** Why `limit` last changed, for `stats()` and observers. Default: undefined. */
  readonly reason?: string | undefined;
  /** Called when work has finished, with its duration and outcome. It may change `limit`. */
  sample(sample: Sample): void;
  /**
   * Called again and again while requests are rejected and at least half of the weight in flight is stuck. Typically, a
   * server that the handlers call does not respond. Work is stuck if it has run for half a second and for twenty mean
   * round trips. Default: the limit stays as it is.
   *
   * @param now Time of the limiter's clock in milliseconds.
   * @param stuck The weight of the stuck work.
   */
  stalled?(now: number, stuck: number): void;
}

/** Creates the limit of one limiter. Each limit has its own state. */
export interface LimitFactory {
  /** Creates the limit of one limiter. */
  create(): Limit;
  /** @internal Creates the controller that decides when requests start. Default: the limit alone decides. */
  control?(context: ControllerContext): Controller;
}

/** Whether the limit measures the process and bounds its own queue. */
export function isControlled(limit: number | LimitFactory): boolean {
  return typeof limit === 'object' && limit.control !== undefined;
}

/** The limit once an operator has set it to `value`. A default limit still decides when requests start. */
export function limitSetTo(value: number, limit: number | LimitFactory): number | LimitFactory {
  if (typeof limit === 'number' || limit.control === undefined) return value;
  return { create: () => ({ limit: value, sample() {} }), control: limit.control };
}

/** The range of an adaptive limit. */
export interface Bounds {
  /** Minimum: a whole number from 1. Default: 1. */
  min?: number | undefined;
  /** Maximum: a whole number not below `min`. Default: 1,000. */
  max?: number | undefined;
  /**
   * Initial limit. It should be below what the server can handle, so that the limit learns the latency without load.
   * Default: 4, or the nearest bound.
   */
  initial?: number | undefined;
}

/** Bounds with defaults applied. */
export interface Range {
  readonly min: number;
  readonly max: number;
  readonly initial: number;
}

/** @throws HeadgateError for an unknown option or an invalid bound. */
export function checkBounds<O extends Bounds>(
  owner: string,
  options: O,
  others: readonly (keyof O & string)[] = [],
  defaultMin = 1,
): Range {
  checkNames(owner, options, ['min', 'max', 'initial', ...others]);
  const min = checkCount('min', options.min ?? defaultMin, 1);
  const max = checkCount('max', options.max ?? Math.max(1000, min), 1);
  if (max < min) throw invalid('max', `a whole number not below min (${min})`, max);
  const initial = checkCount('initial', options.initial ?? within({ min, max }, 4), 1);
  if (initial < min || initial > max) {
    throw invalid('initial', `a whole number from min to max (${min} to ${max})`, initial);
  }
  return { min, max, initial };
}

/** Work that takes this many times as long as without load counts as overloaded. */
export const TOLERANCE = 1.4;

/** The limit counts as used up from this fraction of it. */
const NEARLY_ALL = 0.9;

/** Whether the limit is nearly used up. If not, work does not show what the server could do under a higher limit. */
export function isUsed(saturated: number, limit: number): boolean {
  return saturated >= Math.max(Math.min(2, Math.floor(limit)), Math.floor(limit * NEARLY_ALL));
}

/**
 * The highest limit that would have rejected another request like this one. It may exceed the weight in flight, since a
 * heavy request can leave a part of a limit unused.
 */
export function saturatedLimit({ inflight, weight }: Sample): number {
  return inflight + weight - 1;
}

/** Returns the number, or the nearest bound if it is outside of the range. */
export function within({ min, max }: Omit<Range, 'initial'>, limit: number): number {
  return Math.min(Math.max(limit, min), max);
}
