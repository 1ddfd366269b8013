import { invalid } from '../errors.ts';
import type { SemaphoreSettings } from '../semaphore/semaphore-group.ts';
import type { Limiter } from './limiter.ts';

/**
 * What happens to requests while the store is unavailable: all are rejected (`reject`), all are admitted (`admit`), or
 * each process enforces the limit for itself (`local`).
 */
export type OutagePolicy = 'reject' | 'admit' | 'local';

/** Counts a limit for several processes: a `Store` of `@headgate/core/distributed`. */
export interface LimiterSource {
  /** @internal */
  limiter(settings: LimiterSettings): Limiter;
}

/** Options of a distributed limit. The others are only allowed with a `store`. */
export interface DistributedOptions {
  /** Counts the limit for all processes together: `redisStore()`. Default: each process counts for itself. */
  store?: LimiterSource | undefined;
  /** What happens to requests while the store is unavailable. Default: `reject`. */
  onStoreError?: OutagePolicy | undefined;
  /**
   * How many times in a row a permit may pass to a waiter of the same process, for at most 100 ms, before it returns
   * to the store: fewer round trips, but a longer wait for other processes. A whole number from 0 to 100. Default: 0
   * (strict order of arrival over all processes).
   */
  handoff?: number | undefined;
  /**
   * How many idle permits the process keeps, each for 100 ms or until other processes have waiters, so that most
   * requests need no round trip. A whole number from 0, and 0 at a limit of 1. Default: 0.
   */
  reserve?: number | undefined;
}

/** Validated options of a limiter, with defaults. */
export interface LimiterSettings extends SemaphoreSettings {
  /** Options of a distributed limit, if it is one. */
  readonly distribution: Distribution | undefined;
  /** Whether each request sets the limit of its key, so that there is no common one to change. */
  readonly isLimitPerRequest?: boolean | undefined;
  /** Mode of the gate that makes the limiter, if one does. */
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
    // A string is not shown: perhaps it is a URL with a password.
    const shown = typeof store === 'string' ? 'a string' : store;
    throw invalid('store', 'a store such as redisStore({ client })', shown);
  }
  for (const option of distributedOptions) {
    const value = options[option];
    if (value !== undefined) throw invalid(option, 'omitted without a store', value);
  }
  return undefined;
}
