import { HeadgateError, invalid } from '../errors.ts';
import type { GateableLimiter, Limiter } from '../limiter/limiter.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { checkKey, checkRequest, keyText } from '../semaphore/request.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import type { GateLimit } from './gate-limits.ts';

/** What a request demands of one limit of a gate. */
export interface Demand {
  readonly limiter: Limiter;
  /** The key, for a keyed limit. */
  readonly key?: string | undefined;
  readonly weight: number;
  /** The key's own limit, if limits differ by key. */
  readonly limit?: number | undefined;
  /** The share that the request belongs to, if the limit is divided. */
  readonly share?: string | undefined;
}

/** The demands on all limits that apply, in the gate's order. */
export type Demands = readonly Demand[];

/** The demands of a caller, by the names of the gate's limits. */
export interface DemandOptions {
  /** The key for each keyed limit. A keyed limit without a key here does not apply. */
  keys?: Readonly<Record<string, string | number | undefined>> | undefined;
  /** The weight for each limit; default 1. An optional limit applies only if its weight is set here. */
  weights?: Readonly<Record<string, number | undefined>> | undefined;
  /** The share for each divided limit. */
  shares?: Readonly<Record<string, string | undefined>> | undefined;
}

/** @throws HeadgateError for a value that is not an object, or has a name that none of the gate's limits has. */
export function demandsFrom(
  limits: readonly GateLimit[],
  { keys, weights, shares }: DemandOptions,
): Demands {
  checkLimitNames('keys', keys, limits);
  checkLimitNames('weights', weights, limits);
  checkLimitNames('shares', shares, limits);
  const demands: Demand[] = [];
  for (const { limiter, optional } of limits) {
    const key = keyText(named(keys, limiter));
    const weight = named(weights, limiter);
    const share = named(shares, limiter);
    const applies = limiter.perKey ? key !== undefined : !optional || weight !== undefined;
    if (applies) demands.push({ limiter, key, weight: weight === undefined ? 1 : weight, share });
  }
  // A copy, since adding to an array reserves room for 16 more, which waiters would keep.
  return demands.slice();
}

function checkLimitNames(
  option: string,
  named: Readonly<Record<string, unknown>> | undefined,
  limits: readonly GateLimit[],
): void {
  if (named === undefined) return;
  if (typeof named !== 'object' || named === null || Symbol.iterator in named)
    throw invalid(option, 'an object with the names of limits', named);
  for (const name in named) {
    if (limits.some(({ limiter }) => limiter.name === name) || !Object.hasOwn(named, name))
      continue;
    throw new HeadgateError('ERR_HEADGATE_KEY', `the gate has no limit "${name}"`, option);
  }
}

/**
 * Checks all demands before the first limit is asked. Otherwise a request could wait for one limit and then turn out to
 * be invalid for the next.
 *
 * @throws HeadgateError for an invalid key, limit, weight or share, and for demands that are not in the gate's order.
 */
export function checkDemands(limits: readonly GateLimit[], demands: Demands): void {
  let position = -1;
  for (const demand of demands) {
    const { limiter, key, limit, weight, share } = demand;
    const previous = position;
    position = limits.findIndex((known) => known.limiter === limiter);
    if (position <= previous) throw outOfOrder(limiter);
    checkKey(limiter, key, limit);
    checkRequest(limiter, limit ?? limiter.limit, weight, share);
  }
}

function outOfOrder({ name }: Limiter): HeadgateError {
  const message = `limit "${name}" does not belong to the gate, or is out of the gate's order`;
  return new HeadgateError('ERR_HEADGATE_GATE_ORDER', message);
}

/** The weight to request now. It is lower than the demand if the limit was lowered after the request arrived. */
export function weightNow({ limiter, key, limit, weight }: Demand): number {
  if (weight === 1) return 1;
  return Math.min(weight, limit ?? limiter.usage(key).limit);
}

/** Tries to acquire without waiting. Returns undefined for a limit with a store. */
export function tryDemand(demand: Demand, waiter: Waiter): BasePermit | undefined {
  const { limiter, key, limit, share } = demand;
  if (!('tryWithinLimit' in limiter)) return undefined;
  const weight = weightNow(demand);
  const options = weight === demand.weight ? demand : { key, limit, weight, share };
  return (limiter as GateableLimiter).tryWithinLimit(options, waiter);
}

/** Ignores inherited properties such as `constructor`. */
function named<T>(
  record: Readonly<Record<string, T>> | undefined,
  { name }: Limiter,
): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
