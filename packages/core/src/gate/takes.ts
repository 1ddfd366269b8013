import { HeadgateError } from '../errors.ts';
import { checkWeight } from '../limiter/pool.ts';
import { checkCount } from '../options.ts';
import type { GateLimit } from './gate-limits.ts';

/** What a request takes of one limit. */
export interface Take {
  /** Whose share of a keyed limit. */
  readonly key?: string | undefined;
  readonly weight: number;
  /** The key's own limit, where keys differ. */
  readonly limit?: number | undefined;
}

/** For each limit of the gate, in its order; undefined where the limit does not apply. */
export type Takes = readonly (Take | undefined)[];

/** What a caller may say when it asks a gate, by the names of its limits. */
export interface TakeOptions {
  /** Whose share of each keyed limit; one that is not named does not apply. */
  keys?: Readonly<Record<string, string | undefined>> | undefined;
  /** How much it takes of each limit, by default 1; an optional limit applies only where it is named here. */
  weights?: Readonly<Record<string, number | undefined>> | undefined;
}

/** @throws HeadgateError for a name that the gate does not have. */
export function takesFrom(limits: readonly GateLimit[], { keys = {}, weights = {} }: TakeOptions) {
  const names = limits.map(({ limiter }) => limiter.name);
  for (const name of [...Object.keys(keys), ...Object.keys(weights)]) {
    if (names.includes(name)) continue;
    throw new HeadgateError('ERR_HEADGATE_KEY', `the gate has no limit "${name}"`, name);
  }
  return limits.map(({ limiter, optional }): Take | undefined => {
    const key = keys[limiter.name];
    const weight = weights[limiter.name];
    if (limiter.perKey ? key === undefined : optional && weight === undefined) return undefined;
    return { key, weight: weight ?? 1 };
  });
}

/**
 * Everything is checked before the first limit is asked: who has waited for one must not fail at the next.
 *
 * @throws HeadgateError for a key, a limit or a weight that a limiter would refuse.
 */
export function checkTakes(limits: readonly GateLimit[], takes: Takes): void {
  for (const [index, take] of takes.entries()) {
    const limiter = limits[index]?.limiter;
    if (take === undefined || limiter === undefined) continue;
    const { key, limit, weight } = take;
    if (limiter.perKey ? typeof key !== 'string' : (key ?? limit) !== undefined) {
      const message = `limit "${limiter.name}" ${limiter.perKey ? 'needs a' : 'takes no'} key`;
      throw new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
    }
    if (limit !== undefined) checkCount('limit', limit, 1);
    checkWeight(weight, limit ?? limiter.limit);
  }
}
