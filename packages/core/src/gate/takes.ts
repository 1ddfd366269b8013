import { HeadgateError, invalid } from '../errors.ts';
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

/** @throws HeadgateError for a name that the gate does not have, or a weight that cannot be had. */
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
    return { key, weight: checked(weight ?? 1, limiter.limit) };
  });
}

function checked(weight: number, limit: number): number {
  if (Number.isSafeInteger(weight) && weight >= 1 && weight <= limit) return weight;
  const expected = `a whole number from 1 to the limit (${limit})`;
  throw invalid('weight', expected, weight, 'ERR_HEADGATE_WEIGHT');
}
