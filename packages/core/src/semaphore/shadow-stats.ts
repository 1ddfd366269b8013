import type { RejectionReason } from './rejection.ts';

/** What a limit in shadow mode would have done with the requests so far. Waits are those of admitted requests. */
export interface Forecast {
  /** Fraction of the requests that it would have rejected, from 0 to 1. */
  readonly rejectedShare: number;
  /** Median wait in milliseconds; 0 for a request that would not have been queued. */
  readonly waitP50: number;
  /** Wait in milliseconds that 99 % of the requests do not exceed. */
  readonly waitP99: number;
}

/**
 * Forecast for the current options. The counts are totals since shadow mode began; the forecast starts with nothing in
 * flight.
 */
export interface ShadowStats extends Forecast {
  /** Requests that would have been admitted, at once or after a wait. */
  readonly admitted: number;
  /** Requests that would have been queued, whether later admitted or rejected. */
  readonly queued: number;
  /** Requests that would have been rejected, by the reason. */
  readonly rejected: Readonly<Record<RejectionReason, number>>;
}

/** Forecast for another limit. */
export interface LimitForecast extends Forecast {
  /** Per key if keyed. */
  readonly limit: number;
  /** Highest weight in flight; if keyed, of a single key. */
  readonly inflightPeak: number;
}

/** Which limit to choose, judged by the requests in shadow mode. */
export interface Suggestion {
  /** The assumption behind the forecast. Show it together with the forecast. */
  readonly assumption: string;
  /**
   * In ascending order: the current limit, and powers of two up to the first that would never have queued a request.
   */
  readonly limits: readonly LimitForecast[];
  /** For each fraction of the requests: the lowest of these limits that would have rejected less than that. */
  readonly lowest: Readonly<Record<'5%' | '1%' | '0.1%', number | undefined>>;
}

/** Result of a simulation, for all limits together and for each limit alone. */
export interface ShadowReport {
  readonly shadow: ShadowStats;
  /** By the name of the limit. */
  readonly suggestions: ReadonlyMap<string, Suggestion>;
}
