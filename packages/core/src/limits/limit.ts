import type { Outcome } from '../limiter/permit.ts';

/** One piece of work that is over, as a limit sees it that moves. */
export interface Sample {
  /** Milliseconds from the admission to the release. */
  readonly rtt: number;
  /** Weight at work when it was over, its own included; what a request holds that still waits elsewhere is left out. */
  readonly inflight: number;
  /** Never `ignored`: those are not shown. */
  readonly outcome: Exclude<Outcome, 'ignored'>;
  /** Milliseconds of the limiter's clock. */
  readonly now: number;
  /** What sort of work it was, where the caller has said so. */
  readonly kind: string | undefined;
}

/** What the limit is: fed each piece of work that is over, it moves. */
export interface Limit {
  /** A number from 1, of which the limiter takes the whole part. */
  readonly limit: number;
  sample(sample: Sample): void;
}

/** Makes a limiter's limit: each has a state of its own. */
export interface LimitFactory {
  /** @param random Gives numbers from 0 to below 1. */
  create(random: () => number): Limit;
}

/** Between what and what a limit moves. */
export interface Bounds {
  /** A whole number from 1. Default: 1. */
  min?: number | undefined;
  /** A whole number, not below `min`. Default: 1,000. */
  max?: number | undefined;
  /** Where it begins: below what the server can do, so that it sees how long work takes on a quiet day. Default: 4, or the nearest bound. */
  initial?: number | undefined;
}
