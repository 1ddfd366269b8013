import { checkChoice, checkDuration, checkFlag, checkFunction, checkNames } from '../checks.ts';
import { type Clock, checkClock } from '../clock.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { gateOf } from '../gate/create-gate.ts';
import type { Demand, Demands } from '../gate/demands.ts';
import { entryOf, inEntry } from '../gate/entry.ts';
import type { Gate, GateStats } from '../gate/gate.ts';
import type { Guard } from '../gate/guard.ts';
import { GuardedGate } from '../gate/guarded-gate.ts';
import { unnamed } from '../limiter/create-limiter.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { type Answer, Answers } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { type Fields, limitFields } from './fields.ts';
import type { Framework } from './framework.ts';
import { GatedRequest, type GatedRequestSettings } from './gated-request.ts';
import { checkCalled } from './misplaced.ts';
import type { HttpOptions, LimitOptions } from './options.ts';
import { checkUnordered, Ordering } from './ordering.ts';
import { reasonOf } from './reason.ts';
import { perLimit, Rule, routingOf } from './rule.ts';
import { SampledRequest, type Sampling } from './sampled-request.ts';

export interface HttpStats extends GateStats {
  /** Requests that bypassed the limits: by `skip`, or as CORS preflights. */
  readonly skipped: number;
  /** Limits for which no second permit was acquired, since the request already held one. */
  readonly reentered: number;
}

const known = [
  ...perLimit,
  'limits',
  'queueLimit',
  'queueTimeout',
  'skip',
  'onReject',
  'order',
  'priority',
  'fairBy',
  'guard',
  'classify',
  'mode',
  'headers',
  'maxHold',
  'onDisconnect',
  'maxRetryAfter',
  'caseSensitive',
  'strict',
  'observer',
  'clock',
  'random',
] as const satisfies readonly (
  | keyof HttpOptions<never, never, never, never>
  | keyof LimitOptions<never>
)[];

const noFields: Fields = [];

/** The gate of one middleware: turns requests into demands on its limits, and rejections into responses. */
export class HttpGate<R> implements GatedRequestSettings {
  readonly gate: Gate;
  readonly clock: Clock;
  readonly onDisconnect: 'wait' | 'release';
  readonly abandonAfter: number;
  readonly guard: Guard | undefined;
  readonly #unguarded: Gate;
  readonly #rules: readonly Rule<R>[];
  readonly #ordering: Ordering<R>;
  readonly #skip: ((request: R) => boolean) | undefined;
  readonly #headers: boolean;
  readonly #answers = new Answers();
  /** Set only if a limit is adaptive. */
  readonly #judgement: Sampling<R> | undefined;
  #skipped = 0;
  #reentered = 0;

  constructor(
    options: HttpOptions<R, never, unknown, never> & { abandonAfter?: number | undefined },
    private readonly framework: Framework<R>,
  ) {
    checkCalled(options);
    checkNames('concurrencyLimit', options, [...known, ...(framework.options ?? [])]);
    const { queueLimit, queueTimeout, order, mode, maxHold, maxRetryAfter } = options;
    const { observer, clock, random, onDisconnect = 'wait' } = options;
    const routing = routingOf(options);
    this.clock = checkClock(clock);
    this.onDisconnect = checkChoice('onDisconnect', onDisconnect, ['wait', 'release']);
    this.abandonAfter = checkDuration('abandonAfter', options.abandonAfter ?? 30_000);
    this.#skip = checkFunction('skip', options.skip);
    this.#headers = checkFlag('headers', options.headers);
    checkFunction('onReject', options.onReject);
    const isList = options.limits !== undefined;
    this.#rules = limitList(options).map((limit, index) =>
      Rule.of(limit, framework, routing, entryOf(isList, index)),
    );
    this.#ordering = new Ordering(options);
    const hasOwn = this.#rules.some(({ hasOrder }) => hasOrder);
    if (!hasOwn && this.#rules.some(({ isOwn }) => isOwn)) checkUnordered(options);
    const classify = checkFunction('classify', options.classify);
    if (this.#rules.some(({ adapts }) => adapts)) this.#judgement = { framework, classify };
    else if (classify !== undefined) {
      throw invalid('classify', 'omitted unless a limit is adaptive', classify);
    }
    const limits = this.#rules.map((rule, index) =>
      inEntry(entryOf(isList, index), ['shares'], () => rule.limitOf(this.#ordering.order)),
    );
    const gateOptions = {
      limits,
      queueLimit,
      queueTimeout,
      guard: options.guard,
      // A gate of reused limiters rejects an order; `priority` and `fairBy` then serve those limiters' own queues.
      order: hasOwn ? this.#ordering.order : order,
      mode,
      maxHold,
      maxRetryAfter,
      observer,
      clock,
      random,
    };
    this.gate = gateOf(gateOptions, isList);
    this.guard = options.guard;
    this.#unguarded = this.gate instanceof GuardedGate ? this.gate.inner : this.gate;
    for (const [index, { limiter }] of this.gate.limits.entries())
      this.#rules[index]?.bind(limiter);
  }

  /**
   * Undefined if no limit applies to the request. Rethrows what the app's functions throw; no permit is held then.
   */
  enter(request: R, client: Exchange): GatedRequest | undefined {
    try {
      return this.#enter(request, client);
    } catch (error) {
      throw reasonOf(error);
    }
  }

  #enter(request: R, client: Exchange): GatedRequest | undefined {
    if (this.#isPreflight(request) || this.#skips(request)) {
      this.#skipped++;
      return undefined;
    }
    const demands = this.#takes(request, client);
    const gate = this.#isGuarded(client) ? this.gate : this.#unguarded;
    if (demands.length === 0 && gate === this.#unguarded) return undefined;
    const gated =
      this.#judgement === undefined
        ? new GatedRequest(this, client, demands)
        : new SampledRequest(this, client, demands, request, this.#judgement);
    this.#ordering.assign(gated, request);
    gated.enter(gate);
    return gated;
  }

  /** Header fields for every response, rejections included, if `headers` is set. */
  fields(gated: GatedRequest): Fields {
    if (!this.#headers) return noFields;
    return limitFields(gated.demands, gated.admission.waited);
  }

  /** The response to a rejected request. */
  answerTo(gated: GatedRequest, request: R): Answer {
    const rejection = gated.rejection as Rejection;
    const { framework, gate } = this;
    const { reason, limitName: limit } = rejection;
    const index = gate.limits.findIndex(({ limiter }) => limiter.name === limit);
    // A shutdown is not the client's fault, so a limit's own status (429, say) does not apply.
    const statusCode = reason === 'closed' ? 503 : (this.#rules[index]?.statusCode ?? 503);
    const accept = framework.header(request, 'accept');
    const method = framework.method(request);
    return this.#answers.to(rejection, { method, accept, statusCode });
  }

  stats(): HttpStats {
    return { ...this.gate.stats(), skipped: this.#skipped, reentered: this.#reentered };
  }

  /** Undefined and null mean false, so that `skip` may read an optional property. */
  #skips(request: R): boolean {
    const skips: unknown = this.#skip?.(request);
    if (skips === true || !skips) return skips === true;
    throw invalid('skip', 'a function that returns true or false', skips);
  }

  #takes(request: R, client: Exchange): Demands {
    const demands: Demand[] = [];
    for (const rule of this.#rules) {
      const demand = rule.take(request);
      if (demand !== undefined && !this.#holds(client, demand)) demands.push(demand);
    }
    return demands;
  }

  /** Stacked middleware: a permit that the request already holds is not acquired twice. */
  #holds(client: Exchange, demand: Demand): boolean {
    for (let gated = client.latest; gated !== undefined; gated = gated.outer) {
      if (!gated.holds(demand)) continue;
      this.#reentered++;
      return true;
    }
    return false;
  }

  /** Whether to ask the guard; an outer middleware may have done so for this request. */
  #isGuarded(client: Exchange): boolean {
    const { guard } = this;
    if (guard === undefined) return false;
    for (let gated = client.latest; gated !== undefined; gated = gated.outer) {
      if (gated.passed(guard)) return false;
    }
    return true;
  }

  #isPreflight(request: R): boolean {
    const { framework } = this;
    return (
      framework.method(request) === 'OPTIONS' &&
      framework.header(request, 'origin') !== undefined &&
      framework.header(request, 'access-control-request-method') !== undefined
    );
  }
}

/** A single limit in the options themselves is the same as a list of one. */
function limitList<R>(options: HttpOptions<R, never, unknown, never>): readonly LimitOptions<R>[] {
  if (options.limits !== undefined) {
    const given = new Map<string, unknown>(Object.entries(options));
    const misplacedOption = perLimit.find((name) => given.get(name) !== undefined);
    if (!Array.isArray(options.limits)) throw invalid('limits', 'an array', options.limits);
    if (misplacedOption === undefined) return options.limits;
    const message = `${misplacedOption} must be set inside limits, not next to it`;
    throw new HeadgateError('ERR_HEADGATE_OPTION', message, misplacedOption);
  }
  if (options.guard !== undefined && perLimit.every((name) => options[name] === undefined))
    return [];
  const rule = Object.fromEntries(perLimit.map((option) => [option, options[option]]));
  if (options.limiter === undefined) {
    if (options.store !== undefined && options.name === undefined) throw unnamed();
    rule.name ??= 'default';
  }
  return [rule as unknown as LimitOptions<R>];
}
