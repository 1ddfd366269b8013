import { checkChoice, checkNames, checkText } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { makeLimiter } from '../limiter/create-limiter.ts';
import type { LimiterSettings } from '../limiter/distributed-options.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { type CommonSettings, checkCommon, commonOptions } from '../limiter/options.ts';
import { limitSetTo } from '../limits/limit.ts';
import { Observers } from '../semaphore/observers.ts';
import type { Gate, GateSettings, InternalGate } from './gate.ts';
import { checkLimitOrder, type GateLimit, rememberOrder } from './gate-limits.ts';
import { gateModel } from './gate-model.ts';
import {
  isDistributed,
  isOrderedByGate,
  type LimitSpec,
  limitSpecOf,
  type OwnSpec,
  queueOf,
} from './limit-spec.ts';
import type { GateOptions, Guard } from './options.ts';
import { OrderedGate } from './ordered-gate.ts';

const ownOptions = ['limits', 'guard', 'name', 'mode'] as const satisfies (keyof GateOptions)[];

/**
 * Creates a gate of several limits.
 *
 * @throws HeadgateError for an unknown or invalid option, for two limits of the same name, and for limits in a wrong
 *   order.
 */
export function createGate(options: GateOptions): Gate {
  checkNames('createGate', options, [...ownOptions, ...commonOptions]);
  const { limits } = options;
  if (!Array.isArray(limits)) throw noLimits(limits);
  const common = checkCommon(options);
  const specs = limits.map((limit, index) => limitSpecOf(limit, index, common));
  const { settings, guard } = checkGate(specs, options, common);
  return makeOrdered(specs, settings, guard);
}

/**
 * Makes a gate of validated limits or, if that is enough, only the limiter of its single limit: a queued request is then
 * one object, not two.
 */
export function makeGateOrLimiter(
  specs: readonly LimitSpec[],
  options: OwnOptions,
  common: CommonSettings,
): InternalGate | Limiter {
  const { settings, guard } = checkGate(specs, options, common);
  const sole = guard === undefined ? soleSettings(specs, settings) : undefined;
  return sole === undefined ? makeOrdered(specs, settings, guard) : makeLimiter(sole);
}

/**
 * The settings of a limiter that can replace the whole gate; undefined if none can. It can if every request acquires it
 * (it is neither optional nor keyed) and it has the gate's name, which rejections and events contain.
 */
function soleSettings(
  [only, ...others]: readonly LimitSpec[],
  settings: GateSettings,
): LimiterSettings | undefined {
  if (only?.owned !== true || others.length > 0) return undefined;
  const { limiter, optional } = only;
  if (optional || limiter.perKey || limiter.name !== settings.name) return undefined;
  const queueLimit = Math.min(limiter.queueLimit, settings.queueLimit);
  return { ...settings, ...limiter, queueLimit };
}

type OwnOptions = Pick<GateOptions, 'guard' | 'name' | 'mode'>;

function checkGate(specs: readonly LimitSpec[], options: OwnOptions, common: CommonSettings) {
  if (specs.length === 0 && options.guard === undefined) throw noLimits(specs);
  checkLimits(specs, common);
  const names = specs.map(({ limiter }) => limiter.name);
  const guard = options.guard === undefined ? undefined : checkGuard(options.guard, names);
  const { queueLimit, queueTimeout } = queueOf(specs);
  const settings: GateSettings = {
    ...common,
    name: checkText('name', options.name ?? (names.join('+') || guard?.name)),
    queueLimit: common.queueLimit ?? queueLimit,
    queueTimeout: common.queueTimeout ?? queueTimeout,
    mode: checkChoice('mode', options.mode ?? 'enforce', ['enforce', 'shadow']),
  };
  checkSettings(specs, settings);
  return { settings, guard };
}

function noLimits(limits: unknown): HeadgateError {
  return invalid('limits', 'an array of at least one limit, or any array with a guard', limits);
}

/** Checks the limits together. */
function checkLimits(specs: readonly LimitSpec[], common: CommonSettings): void {
  const { order } = common;
  if (order !== undefined && !specs.some(isOrderedByGate)) {
    throw invalid('order', 'omitted when every limit is reused or has a store', order);
  }
  for (const name of ['queueLimit', 'queueTimeout'] as const) {
    const value = common[name];
    if (specs.length === 0 && value !== undefined)
      throw invalid(name, 'omitted if there is only a guard', value);
  }
  checkLimitOrder(specs);
}

const expectedGuard = 'a guard such as guard(), or an object with a name and a method admits';

/** @throws HeadgateError for an invalid guard, or a name that one of the limits has. */
function checkGuard(guard: Guard, limits: readonly string[]): Guard {
  if (typeof guard?.admits !== 'function') throw invalid('guard', expectedGuard, guard);
  const name = checkText('guard.name', guard.name);
  if (!limits.includes(name)) return guard;
  const message = `a guard and a limit must have different names, got "${name}" twice`;
  throw new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'name');
}

/** @throws HeadgateError for a limit that the gate cannot simulate. */
function checkShadow(specs: readonly LimitSpec[]): void {
  for (const spec of specs) {
    if (!spec.owned) throw invalid('mode', 'enforce when a limiter is reused', 'shadow');
    if (isDistributed(spec)) throw invalid('mode', 'enforce when a limit has a store', 'shadow');
  }
}

/** A limit with a store needs a timeout, since a request always waits for at least one round trip. */
function checkSettings(specs: readonly LimitSpec[], { queueTimeout, mode }: GateSettings): void {
  if (mode === 'shadow') checkShadow(specs);
  if (!specs.some(isDistributed) || queueTimeout > 0) return;
  const expected = 'above 0 when a limit has a store: to disable queueing, set queueLimit to 0';
  throw invalid('queueTimeout', expected, queueTimeout);
}

function makeOrdered(
  specs: readonly LimitSpec[],
  settings: GateSettings,
  guard?: Guard,
): OrderedGate {
  // The gate reports each request once, so its limiters report only events of the limit itself.
  const limits = specs.map((spec): GateLimit => {
    const observers = new Observers(settings.observers);
    const common = { ...settings, queueTimeout: Infinity, maxHold: Infinity, observers };
    const part = { ...common, isPart: true };
    const limiter = spec.owned ? makeLimiter({ ...part, ...spec.limiter }) : spec.limiter;
    return { ...spec, limiter };
  });
  rememberOrder(limits);
  const model = () => {
    const inShadow = specs.flatMap(
      (spec, index) => simulatedSpec(spec, limits[index]?.limiter) ?? [],
    );
    return inShadow.length === 0 ? undefined : gateModel(inShadow, settings, makeOrdered);
  };
  return new OrderedGate(limits, settings, model, guard);
}

/** Returns the current spec of a limit that is in shadow mode and can be simulated. */
function simulatedSpec(spec: LimitSpec, limiter: Limiter | undefined): OwnSpec | undefined {
  if (!spec.owned || isDistributed(spec) || limiter?.mode !== 'shadow') return undefined;
  if (!limiter.isFixed) return spec;
  const limit = limitSetTo(limiter.limit, spec.limiter.limit);
  return { ...spec, limiter: { ...spec.limiter, limit } };
}
