import type { RejectionReason } from './rejection.ts';

/** What a limit would have done with the requests so far, in shadow mode. Waits are those of admitted requests. */
export interface Forecast {
  /** Fraction of the requests that it would have rejected, from 0 to 1. */
  readonly rejectedShare: number;
  /** Median wait in milliseconds; 0 for a request that would not have been queued. */
  readonly waitP50: number;
  /** Wait in milliseconds that 99 % do not exceed. */
  readonly waitP99: number;
}

/** Forecast for the options as they are. The counts are totals since shadow mode began, with nothing in flight. */
export interface ShadowStats extends Forecast {
  /** Requests that would have been admitted, at once or after a wait. */
  readonly admitted: number;
  /** Requests that would have been queued, whether they would have been admitted then or not. */
  readonly queued: number;
  readonly rejected: Readonly<Record<RejectionReason, number>>;
}

/** Forecast for another limit. */
export interface LimitForecast extends Forecast {
  /** Per key if keyed. */
  readonly limit: number;
  /** Highest weight in flight; with keys, of one key. */
  readonly inflightPeak: number;
}

/** Which limit to choose, as far as the requests in shadow mode show it. */
export interface Suggestion {
  /** What it assumes, to be shown with it. */
  readonly assumption: string;
  /** From the lowest to the highest: powers of two up to the first that would never have queued, and the limit as it is. */
  readonly limits: readonly LimitForecast[];
  /** The lowest of these limits that would have rejected less than this share of the requests. */
  readonly lowest: Readonly<Record<'5%' | '1%' | '0.1%', number | undefined>>;
}

/** What a simulation has found: all limits together, and each of them alone. */
export interface ShadowReport {
  readonly shadow: ShadowStats;
  /** By the name of the limit. */
  readonly suggestions: ReadonlyMap<string, Suggestion>;
}
