import {
  checkBound,
  checkChoice,
  checkCount,
  checkDuration,
  checkNames,
  checkSpan,
  checkText,
} from '../checks.ts';
import { checkClock, checkRandom } from '../clock.ts';
import { invalid } from '../errors.ts';
import { checkQueue, makeLimiter } from '../limiter/create-limiter.ts';
import { checkObserver } from '../limiter/observer.ts';
import type { Gate } from './gate.ts';
import { rememberOrder } from './gate-limits.ts';
import { checkGuard } from './guard.ts';
import { GuardedGate } from './guarded-gate.ts';
import type { GateOptions, GateSettings } from './options.ts';
import { OrderedGate } from './ordered-gate.ts';
import {
  asksStore,
  makeLimit,
  type Plan,
  planLimits,
  queueLimitOf,
  queueTimeoutOf,
} from './plan.ts';
import { SoleGate, soleSettings } from './sole-gate.ts';

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
 * Creates a gate of several limits.
 *
 * @throws HeadgateError for an unknown or invalid option, two limits of the same name, or a wrong order of the
 *   limits.
 */
export function createGate(options: GateOptions): Gate {
  checkNames('createGate', options, known);
  const plans = planLimits(options);
  const mode = checkChoice('mode', options.mode ?? 'enforce', ['enforce', 'shadow']);
  if (mode === 'shadow' && plans.some(({ owned }) => !owned)) {
    throw invalid('mode', 'enforce when a limiter is reused', mode);
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
    random: checkRandom(options.random),
  };
  checkStores(plans, settings);
  if (settings.queueLimit === 0 && !plans.some(asksStore)) checkQueue(options);
  const gate = unguarded(plans, settings);
  return guard === undefined ? gate : new GuardedGate(guard, gate, settings);
}

/** A store-backed limit always waits at least one round trip, so it needs a `queueTimeout`. */
function checkStores(plans: readonly Plan[], { queueTimeout, mode }: GateSettings): void {
  if (!plans.some(asksStore)) return;
  if (mode === 'shadow') throw invalid('mode', 'enforce when a limit has a store', mode);
  if (queueTimeout > 0) return;
  const expected = 'above 0 when a limit has a store: to disable queueing, leave queueLimit at 0';
  throw invalid('queueTimeout', expected, queueTimeout);
}

function unguarded(plans: readonly Plan[], settings: GateSettings): Gate {
  const sole = soleSettings(plans, settings);
  if (sole !== undefined) return new SoleGate(makeLimiter(sole));
  const limits = plans.map(makeLimit);
  rememberOrder(limits);
  return new OrderedGate(limits, settings);
}
