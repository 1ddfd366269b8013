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
import { checkObserver } from '../semaphore/observer.ts';
import type { Gate } from './gate.ts';
import { rememberOrder } from './gate-limits.ts';
import { checkGuard } from './guard.ts';
import { GuardedGate } from './guarded-gate.ts';
import {
  asksStore,
  type LimitSpec,
  limitSpecsOf,
  makeLimit,
  queueLimitOf,
  queueTimeoutOf,
} from './limit-spec.ts';
import type { GateOptions, GateSettings } from './options.ts';
import { OrderedGate } from './ordered-gate.ts';
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
  return gateOf(options, true);
}

/** @param isList Whether the app wrote `limits`: over HTTP a single limit can be written without it. */
export function gateOf(options: GateOptions, isList: boolean): Gate {
  const specs = limitSpecsOf(options, isList);
  const mode = checkChoice('mode', options.mode ?? 'enforce', ['enforce', 'shadow']);
  if (mode === 'shadow' && specs.some(({ owned }) => !owned)) {
    throw invalid('mode', 'enforce when a limiter is reused', mode);
  }
  const names = specs.map(({ limiter }) => limiter.name);
  const guard = options.guard === undefined ? undefined : checkGuard(options.guard, names);
  const settings: GateSettings = {
    name: checkText('name', options.name ?? (names.join('+') || guard?.name)),
    queueLimit: checkBound('queueLimit', options.queueLimit ?? queueLimitOf(specs)),
    queueTimeout: checkDuration('queueTimeout', options.queueTimeout ?? queueTimeoutOf(specs)),
    mode,
    maxHold: checkSpan('maxHold', options.maxHold ?? Infinity),
    maxRetryAfter: checkCount('maxRetryAfter', options.maxRetryAfter ?? 60, 1),
    observer: checkObserver(options.observer),
    clock: checkClock(options.clock),
    random: checkRandom(options.random),
  };
  checkStores(specs, settings);
  if (settings.queueLimit === 0 && !specs.some(asksStore)) checkQueue(options);
  const gate = unguarded(specs, settings);
  return guard === undefined ? gate : new GuardedGate(guard, gate, settings);
}

/** A store-backed limit always waits at least one round trip, so it needs a `queueTimeout`. */
function checkStores(specs: readonly LimitSpec[], { queueTimeout, mode }: GateSettings): void {
  if (!specs.some(asksStore)) return;
  if (mode === 'shadow') throw invalid('mode', 'enforce when a limit has a store', mode);
  if (queueTimeout > 0) return;
  const expected = 'above 0 when a limit has a store: to disable queueing, leave queueLimit at 0';
  throw invalid('queueTimeout', expected, queueTimeout);
}

function unguarded(specs: readonly LimitSpec[], settings: GateSettings): Gate {
  const sole = soleSettings(specs, settings);
  if (sole !== undefined) return new SoleGate(makeLimiter(sole));
  const limits = specs.map(makeLimit);
  rememberOrder(limits);
  return new OrderedGate(limits, settings);
}
