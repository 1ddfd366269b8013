import {
  checkBound,
  checkChoice,
  checkCount,
  checkDuration,
  checkFlag,
  checkFunction,
  checkNames,
  checkSpan,
  checkText,
} from '../checks.ts';
import { type Clock, checkClock } from '../clock.ts';
import { invalid } from '../errors.ts';
import { createLimiter } from '../limiter/create-limiter.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Order } from '../limiter/line.ts';
import { checkObserver, type Observer } from '../limiter/observer.ts';
import type { LimitFactory } from '../limits/limit.ts';
import type { Gate } from './gate.ts';
import { checkOrder, type GateLimit, rememberOrder } from './gate-limits.ts';
import { checkGuard, type Guard } from './guard.ts';
import { GuardedGate } from './guarded-gate.ts';
import { type GateSettings, OrderedGate } from './ordered-gate.ts';
import { SoleGate, soleLimiter } from './sole-gate.ts';

/** A limit of a gate: a limiter that is shared with others, or the options of one that the gate makes and closes. */
export type GateLimitOptions = { optional?: boolean | undefined } & (
  | { limiter: Limiter }
  | {
      limiter?: undefined;
      name: string;
      limit: number | LimitFactory;
      perKey?: boolean | undefined;
      /** How many may wait for this limit (per key where keyed), besides the gate's own `queueLimit`. */
      queueLimit?: number | undefined;
    }
);

export interface GateOptions {
  /** Passed in this order: keyed ones first, then optional ones, then those that apply to all. */
  limits: readonly GateLimitOptions[];
  /** Asked before the limits, which there need not be then: `eventLoopGuard()` of `@headgate/core/node`. Default: none. */
  guard?: Guard | undefined;
  /** Default: the names of its limits, joined by `+`, or that of the guard where there is no limit. */
  name?: string | undefined;
  /**
   * How many requests may wait, at whichever limit; Infinity is allowed. Default: 0, or for a gate of one
   * shared limiter that limiter's own.
   */
  queueLimit?: number | undefined;
  /** Milliseconds that a request may wait on its whole way. Default: 2,000, or the only shared limiter's own. */
  queueTimeout?: number | undefined;
  /** In which order they are let in, at each limit of the gate's own: `fifo()`, `lifo()`, `codel()`, or `byPriority()` of these. Default: `fifo()`. */
  order?: Order | undefined;
  /** `shadow` lets everything pass and reports what would have been turned away as `full`. Default: `enforce`. */
  mode?: 'enforce' | 'shadow' | undefined;
  /** Milliseconds, more than 0, after which a permit is taken back and reported. Default: never. */
  maxHold?: number | undefined;
  /** The most that `Retry-After` says, in seconds: a whole number from 1. Default: 60. */
  maxRetryAfter?: number | undefined;
  /** Receives events. Default: none. */
  observer?: Observer | undefined;
  /** Default: `performance.now()` and the runtime's timers. */
  clock?: Clock | undefined;
  /** From 0 to below 1, for jitter. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

const known = [
  'limits',
  'guard',
  'name',
  'queueLimit',
  'queueTimeout',
  'order',
  'mode',
  'maxHold',
  'maxRetryAfter',
  'observer',
  'clock',
  'random',
] as const satisfies readonly (keyof GateOptions)[];

const knownLimit = ['name', 'limit', 'perKey', 'queueLimit', 'optional'];

/**
 * A gate of several limits.
 *
 * @throws HeadgateError where an option is unknown or makes no sense, a name stands twice, or the order is wrong.
 */
export function createGate(options: GateOptions): Gate {
  checkNames('createGate', options, known);
  const limits = resolveLimits(options);
  const mode = checkChoice('mode', options.mode ?? 'enforce', ['enforce', 'shadow']);
  if (mode === 'shadow' && limits.some(({ owned }) => !owned)) {
    throw invalid('mode', 'enforce where a limiter is shared with others', mode);
  }
  const names = limits.map(({ limiter }) => limiter.name);
  const guard = options.guard === undefined ? undefined : checkGuard(options.guard, names);
  const only = limits.length === 1 && limits[0]?.owned === false ? limits[0].limiter : undefined;
  const queueLimit = only === undefined ? 0 : Infinity;
  const settings: GateSettings = {
    name: checkText('name', options.name ?? (names.join('+') || guard?.name)),
    limits,
    queueLimit: checkBound('queueLimit', options.queueLimit ?? queueLimit),
    queueTimeout: checkDuration('queueTimeout', options.queueTimeout ?? only?.queueTimeout ?? 2000),
    mode,
    maxHold: checkSpan('maxHold', options.maxHold ?? Infinity),
    maxRetryAfter: checkCount('maxRetryAfter', options.maxRetryAfter ?? 60, 1),
    observer: checkObserver(options.observer),
    clock: checkClock(options.clock),
    random: checkFunction('random', options.random ?? Math.random),
  };
  const gate = unguarded(settings);
  return guard === undefined ? gate : new GuardedGate(guard, gate, settings);
}

function unguarded(settings: GateSettings): Gate {
  const sole = soleLimiter(settings);
  if (sole !== undefined) return new SoleGate(sole);
  rememberOrder(settings.limits);
  return new OrderedGate(settings);
}

function resolveLimits(options: GateOptions): GateLimit[] {
  const { limits } = options;
  if (!Array.isArray(limits) || (limits.length === 0 && options.guard === undefined)) {
    throw invalid('limits', 'an array of at least one limit, unless there is a guard', limits);
  }
  const resolved = limits.map((limit) => resolveLimit(limit, options));
  // The default would silently let nobody wait.
  if (options.queueLimit === undefined && resolved.some((limit) => hasLine(limit, resolved))) {
    throw invalid('queueLimit', 'set where one of the limits has its own', undefined);
  }
  if (options.order !== undefined && !resolved.some(({ owned }) => owned)) {
    throw invalid('order', 'left out where all limiters are shared', options.order);
  }
  checkOrder(resolved);
  return resolved;
}

/** Whether the limit is meant to have a line, though the gate has not been told of any. */
function hasLine({ limiter, owned }: GateLimit, { length }: readonly GateLimit[]): boolean {
  const { queueLimit } = limiter;
  if (!owned) return length > 1 && queueLimit > 0;
  return queueLimit > 0 && queueLimit !== Infinity;
}

function resolveLimit(options: GateLimitOptions, gate: GateOptions): GateLimit {
  checkNames('limits[]', options, [...knownLimit, 'limiter']);
  const optional = checkFlag('optional', options.optional);
  if (options.limiter !== undefined) {
    checkNames('limits[] with a limiter', options, ['limiter', 'optional']);
    if (typeof options.limiter?.request !== 'function') {
      throw invalid('limiter', 'a limiter', options.limiter);
    }
    return { limiter: options.limiter, optional, owned: false };
  }
  const { name, limit, perKey, queueLimit = Infinity } = options;
  const { order, maxRetryAfter, clock, random, observer } = gate;
  // Requests are reported by the gate, once; only what concerns the limit alone is reported by the limiter.
  const { resized } = checkObserver(observer);
  const limiter = createLimiter({
    name: checkText('limits[].name', name),
    limit,
    perKey,
    queueLimit,
    queueTimeout: Infinity,
    order,
    maxRetryAfter,
    observer: resized === undefined ? undefined : { resized },
    clock,
    random,
  });
  return { limiter, optional, owned: true };
}
