import {
  checkBound,
  checkChoice,
  checkCount,
  checkDuration,
  checkFunction,
  checkNames,
  checkSpan,
  checkText,
} from '../checks.ts';
import { type Clock, checkClock } from '../clock.ts';
import { invalid } from '../errors.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Order } from '../limiter/line.ts';
import { InProcessLimiter } from '../limiter/local-limiter.ts';
import { checkObserver, type Observer } from '../limiter/observer.ts';
import type { LimitFactory } from '../limits/limit.ts';
import type { Gate } from './gate.ts';
import { rememberOrder } from './gate-limits.ts';
import { checkGuard, type Guard } from './guard.ts';
import { GuardedGate } from './guarded-gate.ts';
import { type GateSettings, OrderedGate } from './ordered-gate.ts';
import { make, type Plan, planLimits, queueLimitOf, queueTimeoutOf } from './plan.ts';
import { SoleGate, soleSettings } from './sole-gate.ts';

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
      /** The most weight that may wait for this limit (per key where keyed). Default: Infinity. */
      queueWeight?: number | undefined;
      /** In which order they are let in here. Default: the gate's. */
      order?: Order | undefined;
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
  /** In which order they are let in, at each limit of the gate's own: `fifo()`, `lifo()`, `codel()`, and around one of these `byParty()`, `byPriority()`, `byShare()`. Default: `fifo()`. */
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

/**
 * A gate of several limits.
 *
 * @throws HeadgateError where an option is unknown or makes no sense, a name stands twice, or the order is wrong.
 */
export function createGate(options: GateOptions): Gate {
  checkNames('createGate', options, known);
  const plans = planLimits(options);
  const mode = checkChoice('mode', options.mode ?? 'enforce', ['enforce', 'shadow']);
  if (mode === 'shadow' && plans.some(({ owned }) => !owned)) {
    throw invalid('mode', 'enforce where a limiter is shared with others', mode);
  }
  const names = plans.map(({ limiter }) => limiter.name);
  const guard = options.guard === undefined ? undefined : checkGuard(options.guard, names);
  const settings: GateSettings = {
    name: checkText('name', options.name ?? (names.join('+') || guard?.name)),
    queueLimit: checkBound('queueLimit', options.queueLimit ?? queueLimitOf(plans)),
    queueTimeout: checkDuration('queueTimeout', options.queueTimeout ?? queueTimeoutOf(plans)),
    mode,
    maxHold: checkSpan('maxHold', options.maxHold ?? Infinity),
    maxRetryAfter: checkCount('maxRetryAfter', options.maxRetryAfter ?? 60, 1),
    observer: checkObserver(options.observer),
    clock: checkClock(options.clock),
    random: checkFunction('random', options.random ?? Math.random),
  };
  const gate = unguarded(plans, settings);
  return guard === undefined ? gate : new GuardedGate(guard, gate, settings);
}

function unguarded(plans: readonly Plan[], settings: GateSettings): Gate {
  const sole = soleSettings(plans, settings);
  if (sole !== undefined) return new SoleGate(new InProcessLimiter(sole));
  const limits = plans.map(make);
  rememberOrder(limits);
  return new OrderedGate(limits, settings);
}
