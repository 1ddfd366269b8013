import { checkChoice, checkFlag, checkFunction, checkNames, firstSet } from '../checks.ts';
import { invalid, superfluous } from '../errors.ts';
import { makeGateOrLimiter } from '../gate/create-gate.ts';
import type { InternalGate } from '../gate/gate.ts';
import { isLimiter, isOrderedByGate, type LimitSpec } from '../gate/limit-spec.ts';
import { checkOrderOption, type Ordered } from '../limiter/acquire-options.ts';
import type { InProcessLimiter } from '../limiter/in-process-limiter.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { checkCommon, ignoredOptions } from '../limiter/options.ts';
import type { Outcome } from '../limits/limit.ts';
import { defaultLimit } from '../pacing/default-limit.ts';
import { byPriority } from '../queues/by-priority.ts';
import { fair } from '../queues/fair.ts';
import { onWorkers } from '../runtime.ts';
import type { Priority } from '../semaphore/priority.ts';
import type { Order } from '../semaphore/queue.ts';
import { AbandonedRequests } from './abandoned-requests.ts';
import type { Framework } from './framework.ts';
import type { GatedRequestSettings } from './gated-request.ts';
import { checkCalled } from './misuse.ts';
import type { AnyHttpOptions, MiddlewareOptions } from './options.ts';
import { onlyOwn, perLimit, perMiddleware, type Rule, rulesOf } from './rule.ts';
import { SlowClients } from './slow-clients.ts';
import { type TimeLeft, timeLeft } from './time-left.ts';

/** The options of a middleware, validated and with defaults, and the gate made from them. */
export interface HttpSettings<R> extends GatedRequestSettings {
  /** The gate or, if that is enough, the limiter that requests ask. */
  readonly handle: InternalGate | Limiter;
  readonly rules: readonly Rule<R>[];
  readonly skip: ((request: R) => boolean | undefined) | undefined;
  readonly priority: ((request: R) => Priority | undefined) | undefined;
  readonly fairBy: ((request: R) => string | number | undefined) | undefined;
  /** Returns the maximum wait of a request, if requests differ. */
  readonly queueTimeout: (((request: R) => number | undefined) & Partial<TimeLeft>) | undefined;
  readonly classify: ((response: never) => Outcome) | undefined;
  readonly sampleAt: 'first-byte' | 'end';
  readonly headers: boolean;
  /** Whether any limit is adaptive. The outcomes of requests are needed only then. */
  readonly isAdaptive: boolean;
}

const known = [...perLimit, 'limits', ...perMiddleware];

/**
 * Validates the options and makes the gate.
 *
 * @throws HeadgateError for an unknown or invalid option.
 */
export function httpSettings<R>(
  options: AnyHttpOptions<R>,
  framework: Framework<R>,
): HttpSettings<R> {
  checkCalled(options);
  checkNames('concurrencyLimit', options, known);
  const { onDisconnect = 'wait', guard } = options;
  const complete = hasDefaultLimit(options) ? withDefaultLimit(options) : options;
  const { queueTimeout } = options;
  if ((queueTimeout as unknown) === timeLeft)
    throw invalid('queueTimeout', 'called, as in timeLeft({ max: 2_000 })', queueTimeout);
  const isPerRequest = typeof queueTimeout === 'function';
  const common = checkCommon({
    ...complete,
    queueTimeout: isPerRequest ? (queueTimeout as Partial<TimeLeft>).max : queueTimeout,
  });
  const own = {
    guard,
    clock: common.clock,
    onDisconnect: checkChoice('onDisconnect', onDisconnect, ['wait', 'release']),
    abandoned: new AbandonedRequests(common.clock),
    kindOf: (request: R) => kindOf(framework, request),
    targetOf: (request: R) => targetOf(framework, request),
    skip: checkFunction('skip', options.skip),
    headers: checkFlag('headers', options.headers),
    classify: checkFunction('classify', options.classify),
    sampleAt: checkChoice('sampleAt', options.sampleAt ?? 'end', ['first-byte', 'end']),
    priority: checkFunction('priority', options.priority),
    fairBy: checkFunction('fairBy', options.fairBy),
    queueTimeout: isPerRequest ? queueTimeout : undefined,
  };
  checkFunction('onReject', options.onReject);
  const order = orderOf(options);
  const rules = rulesOf(complete, framework, order);
  const specs = rules.map(({ spec }) => spec);
  checkOrderOptions(options, specs);
  if (isPerRequest && specs.length === 0)
    throw superfluous('queueTimeout', 'if there is only a guard');
  const isAdaptive = rules.some((rule) => rule.isAdaptive);
  if (own.classify !== undefined && !isAdaptive)
    throw superfluous('classify', 'unless a limit is adaptive');
  if (options.sampleAt !== undefined && !isAdaptive)
    throw invalid('sampleAt', 'omitted unless a limit is adaptive', options.sampleAt);
  const handle = makeGateOrLimiter(specs, options, common);
  const asked = isLimiter(handle) ? { limiter: handle } : { gate: handle };
  const limiters = Object.values(handle.limiters);
  for (const rule of rules) rule.bind(handle.limiters[rule.spec.limiter.name] as Limiter);
  const controlled = limiters.filter(isDefaultLimit);
  const isDefault = controlled.length > 0;
  const countsWaiting = controlled.length < limiters.length;
  // On Workers, a timer ends with the request that has started it, so nothing would check the other requests.
  const canCheck = isDefault && !onWorkers();
  const slowClients = canCheck ? new SlowClients(handle, common.clock) : undefined;
  const counting = { isDefault, countsWaiting, slowClients };
  return { ...own, ...asked, handle, rules, isAdaptive, ...counting };
}

/** Whether the limiter has a default limit, which other middleware may use too. */
function isDefaultLimit(limiter: Limiter & { isControlled?: InProcessLimiter['isControlled'] }) {
  return limiter.isControlled === true;
}

/** The kind of a request that has ended. Must not throw, since at that point no caller could handle the error. */
function kindOf<R>(framework: Framework<R>, request: R): string | undefined {
  try {
    return framework.kind(request);
  } catch {
    return undefined;
  }
}

/** The method and path of a request that has ended. Must not throw either. */
function targetOf<R>(framework: Framework<R>, request: R): string {
  try {
    return `${framework.method(request)} ${framework.path(request)}`;
  } catch {
    return '';
  }
}

type OrderOptions = Pick<
  MiddlewareOptions<never, never, unknown, never>,
  'order' | 'priority' | 'fairBy' | 'guard'
>;

/** The order of the middleware's own queues; undefined if no order, priority or fairness is set. */
function orderOf({ order, priority, fairBy }: OrderOptions): Order | undefined {
  const within = fairBy === undefined ? order : fair(order);
  // The order may contain byPriority() already, since byShare() can only be outermost.
  const ranks = within !== undefined && !within.ignores.includes('priority');
  return priority === undefined || ranks ? within : byPriority(within);
}

/**
 * @throws HeadgateError for options that all limits ignore. A limit with a store, for one, always queues first in,
 * first out.
 */
function checkOrderOptions(
  { priority, fairBy, guard }: OrderOptions,
  specs: readonly LimitSpec[],
): void {
  if (specs.length === 0 || specs.some(isOrderedByGate)) return;
  const limiters = specs.map(({ limiter, owned }): Ordered => {
    return owned ? { name: limiter.name, ignores: ignoredOptions(limiter) } : limiter;
  });
  checkOrderOption('fairBy', fairBy, limiters);
  // A guard uses the priority even if all limits ignore it.
  if (guard === undefined) checkOrderOption('priority', priority, limiters);
}

/**
 * A middleware with one of these options has no default limit: the option replaces it, or needs a limit of the app's
 * own.
 */
const excludingOptions = [...onlyOwn, 'shares', 'limits', 'limiter', 'guard', 'key'];

/** Whether a middleware with these options has the default limit. */
function hasDefaultLimit(options: AnyHttpOptions<never>): boolean {
  return firstSet(options, excludingOptions) === undefined;
}

/**
 * Adds the default limit. It bounds its own queue, and its name differs from that of an unnamed limit of the app.
 *
 * @throws HeadgateError for a `queueLimit`, which suggests that the app meant to set a limit of its own.
 */
function withDefaultLimit<R>(options: AnyHttpOptions<R>): AnyHttpOptions<R> {
  const { queueLimit, name = 'default' } = options;
  if (queueLimit !== undefined) {
    const expected = 'omitted unless limit is set, since the default limit bounds its own queue';
    throw invalid('queueLimit', expected, queueLimit);
  }
  return { ...options, name, limit: defaultLimit() } as typeof options;
}
