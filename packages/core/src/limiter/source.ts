import { invalid } from '../errors.ts';
import type { Limiter } from './limiter.ts';
import type { LimiterSettings } from './pools.ts';

/**
 * What becomes of requests while the store cannot be asked: all are turned away (`reject`), or let in (`admit`), or
 * each process keeps to the limit alone (`local`).
 */
export type OutagePolicy = 'reject' | 'admit' | 'local';

/** Where a limit is counted for several processes: a Store of `@headgate/core/shared`. */
export interface LimiterSource {
  /** @internal */
  limiter(settings: LimiterSettings): Limiter;
}

/** What an app says of a limit that is shared with other processes; without a `store`, nothing. */
export interface SharedOptions {
  /** Counts the limit for all processes together: `redisStore()`. Default: each process counts alone. */
  store?: LimiterSource | undefined;
  /** What becomes of requests while the store cannot be asked. Default: `reject`. */
  onStoreError?: OutagePolicy | undefined;
  /**
   * How often in a row a permit may pass to who waits in the same process before it goes back to the store, within 100
   * ms: fewer round trips, for a longer wait of other processes. Default: 0, strictly in order of arrival over all
   * processes.
   */
  handoff?: number | undefined;
  /**
   * How many idle permits the process keeps, each for 100 ms or until others wait, so that most requests need no round
   * trip. Must be 0 at a limit of 1. Default: 0.
   */
  reserve?: number | undefined;
}

/** A limit on a store needs a name. */
export type NameOfStore =
  | { name: string; store?: LimiterSource | undefined }
  | { name?: string | undefined; store?: undefined };

export const sharedOptions = [
  'store',
  'onStoreError',
  'handoff',
  'reserve',
] as const satisfies readonly (keyof SharedOptions)[];

/** The same where there is a store. */
export interface Sharing extends SharedOptions {
  /** Counts the limit for all processes together: `redisStore()`. */
  store: LimiterSource;
}

/** Of all that is said of a limit. */
export function sharedOf({ store, onStoreError, handoff, reserve }: SharedOptions): SharedOptions {
  return { store, onStoreError, handoff, reserve };
}

/** @throws HeadgateError for what is no store, and for what makes no sense without one. */
export function checkSharing(options: SharedOptions): Sharing | undefined {
  const { store, ...terms } = sharedOf(options);
  if (typeof store?.limiter === 'function') return { store, ...terms };
  if (store !== undefined) {
    // A string is not shown: perhaps it is a URL with a password.
    const shown = typeof store === 'string' ? 'a string' : store;
    throw invalid('store', 'a store such as redisStore({ client })', shown);
  }
  for (const [option, value] of Object.entries(terms)) {
    if (value !== undefined) throw invalid(option, 'left out where there is no store', value);
  }
  return undefined;
}
