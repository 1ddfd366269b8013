import { invalid } from '../errors.ts';
import type { SemaphoreSettings } from '../semaphore/semaphore-group.ts';
import type { Limiter } from './limiter.ts';

/**
 * What to do while the store is unavailable: reject all requests (`reject`), admit all (`admit`), or enforce the limit
 * in each process separately (`local`).
 */
export type OutagePolicy = 'reject' | 'admit' | 'local';

/** Counts a limit for several processes: a `Store` of `@headgate/core/distributed`. */
export interface LimiterSource {
  /** @internal */
  limiter(settings: LimiterSettings): Limiter;
}

/** Options of a distributed limit. Without a `store`, all others are an error. */
export interface DistributedOptions {
  /** Counts the limit for all processes together: `redisStore()`. Default: each process counts for itself. */
  store?: LimiterSource | undefined;
  /** What happens to requests while the store is unavailable. Default: `reject`. */
  onStoreError?: OutagePolicy | undefined;
  /**
   * How many times in a row a permit may pass to a waiter of the same process, for at most 100 ms, before it returns to
   * the store. This saves round trips, but waiters of other processes wait longer. A whole number from 0 to 100.
   * Default: 0, which keeps strict order of arrival over all processes.
   */
  handoff?: number | undefined;
  /**
   * How many idle permits the process keeps, each for 100 ms or until other processes have waiters. Most requests then
   * need no round trip. A whole number from 0; must be 0 at a limit of 1. Default: 0.
   */
  reserve?: number | undefined;
}

/** Validated options of a limiter, with defaults. */
export interface LimiterSettings extends SemaphoreSettings {
  /** Options of a distributed limit, if it is one. */
  readonly distribution: Distribution | undefined;
  /** Whether each request sets the limit of its key. There is then no common limit to change. */
  readonly isLimitPerRequest?: boolean | undefined;
  /** Mode of the gate that makes the limiter; undefined without a gate. */
  readonly mode?: 'enforce' | 'shadow' | undefined;
  /** Whether a gate or a distributed limit reports what the limiter would reject in shadow mode. */
  readonly isPart?: boolean | undefined;
}

/** Requires a `name` with a `store`. */
export type NameRequiredWithStore =
  | { name: string; store?: LimiterSource | undefined }
  | { name?: string | undefined; store?: undefined };

export const distributedOptions = [
  'store',
  'onStoreError',
  'handoff',
  'reserve',
] as const satisfies readonly (keyof DistributedOptions)[];

/** The options of a distributed limit, with its store. */
export interface Distribution extends DistributedOptions {
  /** Counts the limit for all processes together: `redisStore()`. */
  store: LimiterSource;
}

/** @throws HeadgateError for a value that is not a store, and for options that need a store if there is none. */
export function checkDistribution(options: DistributedOptions): Distribution | undefined {
  const { store, onStoreError, handoff, reserve } = options;
  if (typeof store?.limiter === 'function') return { store, onStoreError, handoff, reserve };
  if (store !== undefined) {
    // A string is not shown, since it may be a URL with a password.
    const shown = typeof store === 'string' ? 'a string' : store;
    throw invalid('store', 'a store such as redisStore({ client })', shown);
  }
  for (const option of distributedOptions) {
    const value = options[option];
    if (value !== undefined) throw invalid(option, 'omitted without a store', value);
  }
  return undefined;
}
