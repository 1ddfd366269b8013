import { checkFlag, checkNames, checkText } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { checkLimiter, defaultQueueLimit, makeLimiter } from '../limiter/create-limiter.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { checkOrder } from '../limiter/line.ts';
import { checkObserver, type Observer } from '../limiter/observer.ts';
import type { LimiterSettings } from '../limiter/pools.ts';
import { sharedOf, sharedOptions } from '../limiter/source.ts';
import { entryOf, inEntry } from './entry.ts';
import { checkPlaces, type GateLimit } from './gate-limits.ts';
import type { GateLimitOptions, GateOptions } from './options.ts';

/** A limit in its place in a gate, checked and completed; the limiter is shared with others, or still to be made. */
export type Plan =
  | { readonly limiter: Limiter; readonly optional: boolean; readonly owned: false }
  | { readonly limiter: LimiterSettings; readonly optional: boolean; readonly owned: true };

const known = [
  'name',
  'limit',
  'perKey',
  'queueLimit',
  'queueWeight',
  'order',
  'optional',
  ...sharedOptions,
];

/** Nothing is made before it is known of what kind the gate is. */
export function planLimits(options: GateOptions, isList: boolean): Plan[] {
  const { limits } = options;
  if (!Array.isArray(limits) || (limits.length === 0 && options.guard === undefined)) {
    const expected = 'an array of at least one limit, unless there is a guard';
    throw invalid('limits', expected, limits);
  }
  if (options.order !== undefined) checkOrder(options.order);
  const plans = limits.map((limit, index) => planLimit(limit, options, entryOf(isList, index)));
  const hasLine = plans.length === 1 ? hasLineAlone : hasLineAmongOthers;
  // The default would silently let nobody wait.
  if (options.queueLimit === undefined && plans.some(hasLine)) {
    throw invalid('queueLimit', 'set where one of the limits has its own', undefined);
  }
  if (options.order !== undefined && !plans.some(hasOrder)) {
    throw invalid('order', 'left out where all limiters are shared', options.order);
  }
  checkPlaces(plans);
  return plans;
}

export function makeLimit(plan: Plan): GateLimit {
  const { optional, owned } = plan;
  const limiter = plan.owned ? makeLimiter(plan.limiter) : plan.limiter;
  return { limiter, optional, owned };
}

/** How many may wait at a gate that has not been told: a single limit has bounds of its own. */
export function queueLimitOf([first, ...others]: readonly Plan[]): number {
  if (first === undefined || others.length > 0) return 0;
  if (!first.owned) return Infinity;
  // Invented keys would make as many lines.
  return first.limiter.perKey ? 0 : defaultQueueLimit(first.limiter.queueWeight);
}

/** How long one may wait at a gate that has not been told: a single shared limiter has a time of its own. */
export function queueTimeoutOf([first, ...others]: readonly Plan[]): number {
  if (first === undefined || others.length > 0) return 2000;
  return first.owned ? 2000 : first.limiter.queueTimeout;
}

/** Whether it is counted by a store. */
export function asksStore(plan: Plan): boolean {
  return plan.owned ? plan.limiter.sharing !== undefined : plan.limiter.isShared;
}

/** Whether its line is the gate's to order. */
function hasOrder(plan: Plan): boolean {
  return plan.owned && !asksStore(plan);
}

/** Whether the only limit is meant to have a line, though the gate's default would let nobody wait. */
function hasLineAlone({ limiter: { queueLimit, queueWeight, perKey }, owned }: Plan): boolean {
  if (!owned) return false;
  return (queueLimit > 0 && queueLimit !== Infinity) || (perKey && queueWeight !== Infinity);
}

/** The same of one of several. */
function hasLineAmongOthers({ limiter: { queueLimit, queueWeight }, owned }: Plan): boolean {
  if (!owned) return queueLimit > 0;
  return (queueLimit > 0 && queueLimit !== Infinity) || queueWeight !== Infinity;
}

function planLimit(options: GateLimitOptions, gate: GateOptions, entry: string | undefined): Plan {
  // What the gate says for all its limits is not the entry's.
  const own = ['name', 'limit', ...Object.keys(options ?? {})];
  return inEntry(entry, own, () => checkedPlan(options, gate, entry ?? 'the limit'));
}

function checkedPlan(options: GateLimitOptions, gate: GateOptions, owner: string): Plan {
  checkNames(owner, options, [...known, 'limiter']);
  if (options.limiter !== undefined) {
    checkNames(`${owner} with a limiter`, options, ['limiter', 'optional']);
  }
  const optional = checkFlag('optional', options.optional);
  if (options.limiter === undefined) {
    return { limiter: settingsOf(options, gate), optional, owned: true };
  }
  if (typeof options.limiter?.request === 'function') {
    if (options.limiter.closed) throw closed(options.limiter);
    return { limiter: options.limiter, optional, owned: false };
  }
  throw invalid('limiter', 'a limiter', options.limiter);
}

function closed({ name }: Limiter): HeadgateError {
  const message = `limiter "${name}" has been closed, and would reject everything`;
  return new HeadgateError('ERR_HEADGATE_OPTION', message, 'limiter');
}

function settingsOf(
  options: GateLimitOptions & { limiter?: undefined },
  gate: GateOptions,
): LimiterSettings {
  const { name, limit, perKey, queueLimit = Infinity, queueWeight, store } = options;
  const order = options.order ?? (store === undefined ? gate.order : undefined);
  const { maxRetryAfter, clock, random, observer } = gate;
  return checkLimiter({
    name: checkText('name', name),
    limit,
    perKey,
    // All who wait at the gate count against its bound, and where they wait at a store, those of all processes.
    queueLimit: store === undefined ? queueLimit : Math.min(queueLimit, gate.queueLimit ?? 0),
    queueWeight,
    queueTimeout: Infinity,
    order,
    ...sharedOf(options),
    maxRetryAfter,
    observer: ofLimit(checkObserver(observer)),
    clock,
    random,
  });
}

/** Requests are reported by the gate, once; the limiter reports only what concerns the limit alone. */
function ofLimit({ resized, store, slowed, lost, reclaimed, conflict }: Observer): Observer {
  const told = { resized, store, slowed, lost, reclaimed, conflict };
  return Object.fromEntries(Object.entries(told).filter(([, callback]) => callback !== undefined));
}
