import { invalid } from '../errors.ts';
import type { SemaphoreSettings } from '../semaphore/semaphore-group.ts';
import type { Limiter } from './limiter.ts';

/**
 * What to do while the store is unavailable: reject all requests (`reject`), admit all (`admit`), or enforce the limit
 * in each process separately (`local`).
 */
export type OutagePolicy = 'reject' | 'admit' | 'local';

/** Counts a limit for several processes: a `Store` of `@headgate/store-kit`. */
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
}

/** Validated options of a limiter, with defaults. */
export interface LimiterSettings extends SemaphoreSettings {
  /** Options of a distributed limit, if it is one. */
  readonly distribution: Distribution | undefined;
  /** Mode of the gate that has made the limiter; undefined if it is not part of a gate. */
  readonly mode?: 'enforce' | 'shadow' | undefined;
  /** Whether a gate or a distributed limiter reports the rejections that shadow mode suppresses at this limiter. */
  readonly isPart?: boolean | undefined;
}

/** Requires a `name` with a `store`. */
export type NameRequiredWithStore =
  | { name: string; store?: LimiterSource | undefined }
  | { name?: string | undefined; store?: undefined };

export const distributedOptions = [
  'store',
  'onStoreError',
] as const satisfies readonly (keyof DistributedOptions)[];

/** The options of a limit that has a store. */
export interface Distribution extends DistributedOptions {
  /** Counts the limit for all processes together: `redisStore()`. */
  store: LimiterSource;
}

/** @throws HeadgateError for a value that is not a store, and for options that need a store if there is none. */
export function checkDistribution(options: DistributedOptions): Distribution | undefined {
  const { store, onStoreError } = options;
  if (typeof store?.limiter === 'function') return { store, onStoreError };
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
