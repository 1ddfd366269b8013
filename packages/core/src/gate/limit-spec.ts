import { checkFlag, checkNames, checkText } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { checkLimiter, defaultQueueLimit, makeLimiter } from '../limiter/create-limiter.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { distributedOf, distributedOptions, type LimiterSettings } from '../limiter/source.ts';
import { checkObserver, type Observer } from '../semaphore/observer.ts';
import { checkOrder } from '../semaphore/queue.ts';
import { entryOf, inEntry } from './entry.ts';
import { checkPlaces, type GateLimit } from './gate-limits.ts';
import type { GateLimitOptions, GateOptions } from './options.ts';

/** The validated spec of one limit of a gate: a reused limiter, or the settings of one still to be made. */
export type LimitSpec =
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
  ...distributedOptions,
];

/** Validates the limits without making any limiter, since that depends on the kind of the gate. */
export function limitSpecsOf(options: GateOptions, isList: boolean): LimitSpec[] {
  const { limits } = options;
  if (!Array.isArray(limits) || (limits.length === 0 && options.guard === undefined)) {
    const expected = 'an array of at least one limit, or any array with a guard';
    throw invalid('limits', expected, limits);
  }
  if (options.order !== undefined) checkOrder(options.order);
  const specs = limits.map((limit, index) => limitSpecOf(limit, options, entryOf(isList, index)));
  const hasQueue = specs.length === 1 ? hasOwnQueueAlone : hasOwnQueue;
  // The default of 0 would silently disable the limit's own queue.
  if (options.queueLimit === undefined && specs.some(hasQueue)) {
    throw invalid('queueLimit', 'set when one of the limits has its own', undefined);
  }
  if (options.order !== undefined && !specs.some(hasOrder)) {
    throw invalid('order', 'omitted when every limiter is reused', options.order);
  }
  checkPlaces(specs);
  return specs;
}

export function makeLimit(spec: LimitSpec): GateLimit {
  const { optional, owned } = spec;
  const limiter = spec.owned ? makeLimiter(spec.limiter) : spec.limiter;
  return { limiter, optional, owned };
}

/** Default `queueLimit` of a gate: the limit's own if it is the only one. */
export function queueLimitOf([first, ...others]: readonly LimitSpec[]): number {
  if (first === undefined || others.length > 0) return 0;
  if (!first.owned) return Infinity;
  // Clients that invent keys would create as many queues.
  return first.limiter.perKey ? 0 : defaultQueueLimit(first.limiter.queueWeight);
}

/** Default `queueTimeout` of a gate: that of a single reused limiter. */
export function queueTimeoutOf([first, ...others]: readonly LimitSpec[]): number {
  if (first === undefined || others.length > 0) return 2000;
  return first.owned ? 2000 : first.limiter.queueTimeout;
}

/** Whether the limit is counted by a store. */
export function asksStore(spec: LimitSpec): boolean {
  return spec.owned ? spec.limiter.distribution !== undefined : spec.limiter.isDistributed;
}

/** Whether the gate decides the order of the limit's queue. */
function hasOrder(spec: LimitSpec): boolean {
  return spec.owned && !asksStore(spec);
}

/** Whether the only limit has queue options, which the gate's default of 0 would override. */
function hasOwnQueueAlone({
  limiter: { queueLimit, queueWeight, perKey },
  owned,
}: LimitSpec): boolean {
  if (!owned) return false;
  return (queueLimit > 0 && queueLimit !== Infinity) || (perKey && queueWeight !== Infinity);
}

/** The same for one of several limits. */
function hasOwnQueue({ limiter: { queueLimit, queueWeight }, owned }: LimitSpec): boolean {
  if (!owned) return queueLimit > 0;
  return (queueLimit > 0 && queueLimit !== Infinity) || queueWeight !== Infinity;
}

function limitSpecOf(
  options: GateLimitOptions,
  gate: GateOptions,
  entry: string | undefined,
): LimitSpec {
  // What the gate says for all its limits is not the entry's.
  const own = ['name', 'limit', ...Object.keys(options ?? {})];
  return inEntry(entry, own, () => checkedPlan(options, gate, entry ?? 'the limit'));
}

function checkedPlan(options: GateLimitOptions, gate: GateOptions, owner: string): LimitSpec {
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
  const message = `limiter "${name}" is closed and would reject every request`;
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
    // Queued requests count against the gate's bound, and those queued in a store count over all processes.
    queueLimit: store === undefined ? queueLimit : Math.min(queueLimit, gate.queueLimit ?? 0),
    queueWeight,
    queueTimeout: Infinity,
    order,
    ...distributedOf(options),
    maxRetryAfter,
    observer: withoutRequests(checkObserver(observer)),
    clock,
    random,
  });
}

/** The gate reports each request once; its limiters report only events of the limit itself. */
function withoutRequests({
  resized,
  store,
  slowed,
  lost,
  reclaimed,
  conflict,
}: Observer): Observer {
  const callbacks = { resized, store, slowed, lost, reclaimed, conflict };
  return Object.fromEntries(
    Object.entries(callbacks).filter(([, callback]) => callback !== undefined),
  );
}
