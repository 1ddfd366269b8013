import { checkCount } from '../checks.ts';
import { HeadgateError } from '../errors.ts';
import type { Limiter, LocalLimiter } from '../limiter/limiter.ts';
import type { BasePermit } from '../limiter/permit.ts';
import { checkRequest } from '../limiter/request.ts';
import type { GateLimit } from './gate-limits.ts';

/** What a request takes of one limit of a gate. */
export interface Take {
  readonly limiter: Limiter;
  /** Of a keyed limit: whose. */
  readonly key?: string | undefined;
  readonly weight: number;
  /** The key's own limit, where keys differ. */
  readonly limit?: number | undefined;
  /** Of which share of the limit, where that is divided. */
  readonly share?: string | undefined;
}

/** Of those limits that apply, in the gate's order. */
export type Takes = readonly Take[];

/** What a caller may say when it asks a gate, by the names of its limits. */
export interface TakeOptions {
  /** Whose each keyed limit is to be; one that is not named does not apply. */
  keys?: Readonly<Record<string, string | undefined>> | undefined;
  /** How much it takes of each limit, by default 1; an optional limit applies only where it is named here. */
  weights?: Readonly<Record<string, number | undefined>> | undefined;
  /** Of which share of each limit that is divided. */
  shares?: Readonly<Record<string, string | undefined>> | undefined;
}

/** @throws HeadgateError for a name that the gate does not have. */
export function takesFrom(
  limits: readonly GateLimit[],
  { keys = {}, weights = {}, shares = {} }: TakeOptions,
): Takes {
  const names = limits.map(({ limiter }) => limiter.name);
  for (const [option, named] of Object.entries({ keys, weights, shares })) {
    const unknown = Object.keys(named).find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    throw new HeadgateError('ERR_HEADGATE_KEY', `the gate has no limit "${unknown}"`, option);
  }
  return limits.flatMap(({ limiter, optional }) => {
    const key = named(keys, limiter);
    const weight = named(weights, limiter);
    const share = named(shares, limiter);
    const applies = limiter.perKey ? key !== undefined : !optional || weight !== undefined;
    return applies ? [{ limiter, key, weight: weight ?? 1, share }] : [];
  });
}

/**
 * Everything is checked before the first limit is asked: who has waited for one must not fail at the next.
 *
 * @throws HeadgateError for a key, a limit, a weight or a share that a limiter would refuse, and for an order that is not the gate's.
 */
export function checkTakes(limits: readonly GateLimit[], takes: Takes): void {
  let place = -1;
  for (const take of takes) {
    const { limiter, key, limit, weight, share } = take;
    const previous = place;
    place = limits.findIndex((known) => known.limiter === limiter);
    if (place <= previous) throw misplaced(limiter);
    if (limiter.perKey ? typeof key !== 'string' : (key ?? limit) !== undefined) {
      const message = `limit "${limiter.name}" ${limiter.perKey ? 'needs a' : 'takes no'} key`;
      throw new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
    }
    if (limit !== undefined) checkCount('limit', limit, 1);
    checkRequest(limiter, limit ?? limiter.limit, weight, share);
  }
}

/** The limit may be lower by now than it was when the request came. */
export function weightNow({ limiter, key, limit, weight }: Take): number {
  if (weight === 1) return 1;
  return Math.min(weight, limit ?? limiter.usage(key).limit);
}

/** Only a limit in this process can answer at once; undefined where it does not. */
export function tryTake(take: Take): BasePermit | undefined {
  const { limiter, key, limit, share } = take;
  if (!('tryAcquire' in limiter)) return undefined;
  const weight = weightNow(take);
  const options = weight === take.weight ? take : { key, limit, weight, share };
  return (limiter as LocalLimiter).tryAcquire(options) as BasePermit | undefined;
}

/** What every object has is not named. */
function named<T>(record: Readonly<Record<string, T>>, { name }: Limiter): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function misplaced({ name }: Limiter): HeadgateError {
  const message = `limit "${name}" is none of the gate's, or not in the gate's order`;
  return new HeadgateError('ERR_HEADGATE_GATE_ORDER', message);
}
