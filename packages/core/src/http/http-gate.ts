import { checkChoice, checkDuration, checkFlag, checkFunction, checkNames } from '../checks.ts';
import type { Clock } from '../clock.ts';
import { invalid } from '../errors.ts';
import { makeGate } from '../gate/create-gate.ts';
import type { Demand, Demands } from '../gate/demands.ts';
import type { Gate, GateStats } from '../gate/gate.ts';
import { GuardedGate } from '../gate/guarded-gate.ts';
import { isOrderedByGate } from '../gate/limit-spec.ts';
import type { Guard } from '../gate/options.ts';
import { checkCommon, commonOptions } from '../limiter/options.ts';
import { type Outcome, outcomes } from '../limits/limit.ts';
import { byPriority } from '../queues/by-priority.ts';
import { fair } from '../queues/fair.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { checkPriority, type Priority } from '../semaphore/priority.ts';
import type { Order } from '../semaphore/queue.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { type Fields, limitFields, type RejectionResponse, RejectionResponses } from './answer.ts';
import { checkCalled, type Framework, reasonOf } from './framework.ts';
import {
  type Exchange,
  GatedRequest,
  type GatedRequestSettings,
  SampledRequest,
} from './gated-request.ts';
import type { HttpOptions, LimitOptions, MiddlewareOptions } from './options.ts';
import { perLimit, type Rule, rulesOf } from './rule.ts';

export interface HttpStats extends GateStats {
  /** Requests that bypassed the limits: by `skip`, or as CORS preflights. */
  readonly skipped: number;
  /** Limits for which no second permit was acquired, since the request already held one. */
  readonly reentered: number;
}

const known = [
  ...perLimit,
  'limits',
  'skip',
  'onReject',
  'priority',
  'fairBy',
  'guard',
  'classify',
  'mode',
  'headers',
  'onDisconnect',
  'caseSensitive',
  'strict',
  ...commonOptions,
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
  readonly #priority: ((request: R) => Priority) | undefined;
  readonly #fairBy: ((request: R) => string) | undefined;
  readonly #skip: ((request: R) => boolean) | undefined;
  readonly #headers: boolean;
  readonly #answers = new RejectionResponses();
  readonly #classify: ((response: never) => Outcome) | undefined;
  /** Defined only if a limit is adaptive. */
  readonly #sample: ((request: R, permit: BasePermit) => Outcome) | undefined;
  #skipped = 0;
  #reentered = 0;

  constructor(
    options: HttpOptions<R, never, unknown, never> & { abandonAfter?: number | undefined },
    private readonly framework: Framework<R>,
  ) {
    checkCalled(options);
    checkNames('concurrencyLimit', options, [...known, ...(framework.options ?? [])]);
    const { onDisconnect = 'wait', abandonAfter = 30_000 } = options;
    const common = checkCommon(options);
    this.clock = common.clock;
    this.onDisconnect = checkChoice('onDisconnect', onDisconnect, ['wait', 'release']);
    this.abandonAfter = checkDuration('abandonAfter', abandonAfter);
    this.#skip = checkFunction('skip', options.skip);
    this.#headers = checkFlag('headers', options.headers);
    this.#classify = checkFunction('classify', options.classify);
    checkFunction('onReject', options.onReject);
    this.#priority = checkFunction('priority', options.priority);
    this.#fairBy = checkFunction('fairBy', options.fairBy);
    this.#rules = rulesOf(options, framework, orderOf(options));
    const specs = this.#rules.map(({ spec }) => spec);
    if (specs.some(({ owned }) => owned) && !specs.some(isOrderedByGate)) checkUnordered(options);
    if (this.#rules.some(({ isAdaptive: adapts }) => adapts)) {
      this.#sample = (request, permit) => this.#outcome(request, permit);
    } else if (this.#classify !== undefined) {
      throw invalid('classify', 'omitted unless a limit is adaptive', this.#classify);
    }
    this.gate = makeGate(specs, options, common);
    this.guard = options.guard;
    this.#unguarded = this.gate instanceof GuardedGate ? this.gate.inner : this.gate;
    for (const [index, { limiter }] of this.gate.limits.entries())
      this.#rules[index]?.bind(limiter);
  }

  /**
   * Undefined if no limit applies to the request. Rethrows what the app's functions throw; no permit is held then.
   */
  enter(request: R, exchange: Exchange): GatedRequest | undefined {
    try {
      return this.#enter(request, exchange);
    } catch (error) {
      throw reasonOf(error);
    }
  }

  #enter(request: R, exchange: Exchange): GatedRequest | undefined {
    if (this.#isPreflight(request) || this.#skips(request)) {
      this.#skipped++;
      return undefined;
    }
    const demands = this.#demands(request, exchange);
    const gate = this.#isGuarded(exchange) ? this.gate : this.#unguarded;
    if (demands.length === 0 && gate === this.#unguarded) return undefined;
    const gated =
      this.#sample === undefined
        ? new GatedRequest(this, exchange, demands)
        : new SampledRequest(this, exchange, demands, request, this.#sample);
    this.#prioritize(gated, request);
    gated.enter(gate);
    return gated;
  }

  /** Header fields for every response, rejections included, if `headers` is set. */
  fields(gated: GatedRequest): Fields {
    if (!this.#headers) return noFields;
    return limitFields(gated.demands, gated.admission.waited);
  }

  /** The response to a rejected request. */
  responseTo(gated: GatedRequest, request: R): RejectionResponse {
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

  #prioritize(gated: GatedRequest, request: R): void {
    if (this.#priority !== undefined) gated.priority = checkPriority(this.#priority(request));
    if (this.#fairBy === undefined) return;
    const fairBy: unknown = this.#fairBy(request);
    if (typeof fairBy !== 'string')
      throw invalid('fairBy', 'a function that returns a string', fairBy);
    gated.fairBy = fairBy;
  }

  /** Undefined and null mean false, so that `skip` may read an optional property. */
  #skips(request: R): boolean {
    const skips: unknown = this.#skip?.(request);
    if (skips === true || !skips) return skips === true;
    throw invalid('skip', 'a function that returns true or false', skips);
  }

  #demands(request: R, exchange: Exchange): Demands {
    const demands: Demand[] = [];
    for (const rule of this.#rules) {
      const demand = rule.demand(request);
      if (demand !== undefined && !this.#holds(exchange, demand)) demands.push(demand);
    }
    return demands;
  }

  /** Stacked middleware: a permit that the request already holds is not acquired twice. */
  #holds(exchange: Exchange, demand: Demand): boolean {
    for (let gated = exchange.latest; gated !== undefined; gated = gated.outer) {
      if (!gated.holds(demand)) continue;
      this.#reentered++;
      return true;
    }
    return false;
  }

  /** Whether to ask the guard; an outer middleware may have done so for this request. */
  #isGuarded(exchange: Exchange): boolean {
    const { guard } = this;
    if (guard === undefined) return false;
    for (let gated = exchange.latest; gated !== undefined; gated = gated.outer) {
      if (gated.wasAdmittedBy(guard)) return false;
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

  /** Reports the route and the outcome of a request to an adaptive limit. */
  #outcome(request: R, permit: BasePermit): Outcome {
    const { framework } = this;
    try {
      permit.kind ??= framework.kind(request);
      const outcome = this.#classify?.(framework.response(request) as never) ?? 'ok';
      return checkChoice('classify', outcome, outcomes);
    } catch (error) {
      framework.report(request, reasonOf(error));
      return 'ignored';
    }
  }
}

type OrderOptions = Pick<
  MiddlewareOptions<never, never, unknown, never>,
  'order' | 'priority' | 'fairBy' | 'guard'
>;

/** The order of the middleware's own queues; undefined if no order, priority or fairness is set. */
function orderOf({ order, priority, fairBy }: OrderOptions): Order | undefined {
  const within = fairBy === undefined ? order : fair(order);
  return priority === undefined ? within : byPriority(within);
}

/**
 * @throws HeadgateError for options without effect: with a store for every limit, all queues are first in, first out.
 */
function checkUnordered({ priority, fairBy, guard }: OrderOptions): void {
  if (fairBy !== undefined) throw invalid('fairBy', 'omitted when every limit has a store', fairBy);
  // A guard uses the priority as well.
  if (priority === undefined || guard !== undefined) return;
  throw invalid('priority', 'omitted when every limit has a store and there is no guard', priority);
}
