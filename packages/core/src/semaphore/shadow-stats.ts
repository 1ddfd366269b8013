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
  /**
   * What the server can do, whichever limit is configured. Undefined if the limit is keyed, and until there were enough
   * answers: five windows, each of at least a second and 50 answers, or of 20 seconds. If the process was overloaded
   * from the start, also until a quiet time.
   */
  readonly measured:
    | {
        /** The weight that the server needs in flight to answer at `rate`, and a fifth more. */
        readonly limit: number;
        /**
         * Whether requests became slower because too many were in flight. Otherwise the server can do at least `limit`.
         */
        readonly isSaturated: boolean;
        /** Highest rate of answers: weight per second. */
        readonly rate: number;
        /** Mean milliseconds per request while few are in flight. */
        readonly duration: number;
      }
    | undefined;
  /**
   * In ascending order: a quarter and half of the current limit, the limit, two and four times it. Assumes that the
   * duration of requests does not depend on the limit, so it is only right for a server that is not saturated. Empty
   * for an adaptive limit, and for a limit that requests set.
   */
  readonly limits: readonly LimitForecast[];
}

/** Result of a simulation, for all limits together and for each limit alone. */
export interface ShadowReport {
  readonly shadow: ShadowStats;
  /** By the name of the limit. */
  readonly suggestions: ReadonlyMap<string, Suggestion>;
}
