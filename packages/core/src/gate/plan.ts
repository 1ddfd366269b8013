import { checkFlag, checkNames, checkText } from '../checks.ts';
import { invalid } from '../errors.ts';
import { checkLimiter, defaultQueueLimit } from '../limiter/create-limiter.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { InProcessLimiter } from '../limiter/local-limiter.ts';
import { checkObserver } from '../limiter/observer.ts';
import type { LimiterSettings } from '../limiter/pools.ts';
import type { GateLimitOptions, GateOptions } from './create-gate.ts';
import { checkOrder, type GateLimit } from './gate-limits.ts';

/** A limit in its place in a gate, checked and completed; the limiter is shared with others, or still to be made. */
export type Plan =
  | { readonly limiter: Limiter; readonly optional: boolean; readonly owned: false }
  | { readonly limiter: LimiterSettings; readonly optional: boolean; readonly owned: true };

const known = ['name', 'limit', 'perKey', 'queueLimit', 'queueWeight', 'order', 'optional'];

/** Nothing is made before it is known of what kind the gate is. */
export function planLimits(options: GateOptions): Plan[] {
  const { limits } = options;
  if (!Array.isArray(limits) || (limits.length === 0 && options.guard === undefined)) {
    throw invalid('limits', 'an array of at least one limit, unless there is a guard', limits);
  }
  const plans = limits.map((limit) => planLimit(limit, options));
  // The default would silently let nobody wait.
  if (options.queueLimit === undefined && plans.some((plan) => hasLine(plan, plans))) {
    throw invalid('queueLimit', 'set where one of the limits has its own', undefined);
  }
  if (options.order !== undefined && !plans.some(({ owned }) => owned)) {
    throw invalid('order', 'left out where all limiters are shared', options.order);
  }
  checkOrder(plans);
  return plans;
}

export function make(plan: Plan): GateLimit {
  const { optional, owned } = plan;
  const limiter = plan.owned ? new InProcessLimiter(plan.limiter) : plan.limiter;
  return { limiter, optional, owned };
}

/** Where the gate has not been told: a single limit has its own bounds. */
export function queueLimitOf([first, ...others]: readonly Plan[]): number {
  if (first === undefined || others.length > 0) return 0;
  return first.owned ? defaultQueueLimit(first.limiter.queueWeight) : Infinity;
}

export function queueTimeoutOf([first, ...others]: readonly Plan[]): number {
  return first?.owned === false && others.length === 0 ? first.limiter.queueTimeout : 2000;
}

/** Whether the limit is meant to have a line, though the gate has not been told of any. */
function hasLine({ limiter, owned }: Plan, { length }: readonly Plan[]): boolean {
  const { queueLimit, queueWeight } = limiter;
  if (!owned) return length > 1 && queueLimit > 0;
  return (queueLimit > 0 && queueLimit !== Infinity) || (length > 1 && queueWeight !== Infinity);
}

function planLimit(options: GateLimitOptions, gate: GateOptions): Plan {
  checkNames('limits[]', options, [...known, 'limiter']);
  const optional = checkFlag('optional', options.optional);
  if (options.limiter === undefined) {
    return { limiter: settingsOf(options, gate), optional, owned: true };
  }
  checkNames('limits[] with a limiter', options, ['limiter', 'optional']);
  if (typeof options.limiter?.request === 'function') {
    return { limiter: options.limiter, optional, owned: false };
  }
  throw invalid('limiter', 'a limiter', options.limiter);
}

function settingsOf(
  options: GateLimitOptions & { limiter?: undefined },
  gate: GateOptions,
): LimiterSettings {
  const { name, limit, perKey, queueLimit = Infinity, queueWeight, order = gate.order } = options;
  const { maxRetryAfter, clock, random, observer } = gate;
  // Requests are reported by the gate, once; only what concerns the limit alone is reported by the limiter.
  const { resized } = checkObserver(observer);
  return checkLimiter({
    name: checkText('limits[].name', name),
    limit,
    perKey,
    queueLimit,
    queueWeight,
    queueTimeout: Infinity,
    order,
    maxRetryAfter,
    observer: resized === undefined ? undefined : { resized },
    clock,
    random,
  });
}
