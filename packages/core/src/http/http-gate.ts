import { checkChoice } from '../checks.ts';
import { attempt, invalid } from '../errors.ts';
import type { Demand, Demands } from '../gate/demands.ts';
import { InProcessLimiter } from '../limiter/in-process-limiter.ts';
import type { Handle } from '../limiter/limiter.ts';
import { checkLimiter } from '../limiter/options.ts';
import { checkCreation } from '../limiter/per-request.ts';
import { type Outcome, outcomes } from '../limits/limit.ts';
import { followPermit } from '../semaphore/follow-permit.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { checkPriority } from '../semaphore/priority.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { keyText } from '../semaphore/request.ts';
import type { Exchange } from './exchange.ts';
import { type Framework, reasonOf } from './framework.ts';
import { GatedRequest, UnlimitedRequest } from './gated-request.ts';
import { gateStats, type HttpStats } from './handle.ts';
import type { HandledRequest } from './handled-request.ts';
import { type Fields, limitFields } from './limit-fields.ts';
import { checkNesting, checkShedding } from './mistakes.ts';
import type { AnyHttpOptions } from './options.ts';
import { type RejectionResponse, RejectionResponses } from './rejection-response.ts';
import { MAX_INNER } from './request-at-gate.ts';
import { type HttpSettings, httpSettings } from './settings.ts';

const noFields: Fields = [];

/** Maximum number of preflights that bypass the limits at a time. Bounded, since any client can send fake preflights. */
const MAX_PREFLIGHTS = 4;
/** Its permits show when an inner request is done. */
const inner = new InProcessLimiter(checkLimiter({ limit: Number.MAX_SAFE_INTEGER }));

/** The gate of one middleware: turns requests into demands on its limits, and rejections into responses. */
export class HttpGate<R> {
  /** The gate or the limiter that requests pass. */
  readonly gate: Handle;
  readonly #settings: HttpSettings<R>;
  /** Status codes by the name of the rejecting limit. */
  readonly #statusCodes: ReadonlyMap<string, number>;
  readonly #responses = new RejectionResponses();
  readonly #preflights = new InProcessLimiter(checkLimiter({ limit: MAX_PREFLIGHTS }));
  /** Whether the names of this gate and of one around it have been compared. */
  #hasCheckedNesting = false;
  /** Number of rejections with 503, by the name of the limit. */
  readonly #shed = new Map<string, number>();
  #skipped = 0;
  #reentered = 0;

  /** @throws HeadgateError for an unknown or invalid option. */
  constructor(
    options: AnyHttpOptions<R>,
    private readonly framework: Framework<R>,
  ) {
    this.#settings = httpSettings(options, framework);
    const { handle, rules } = this.#settings;
    this.gate = handle;
    checkCreation(handle);
    this.#statusCodes = new Map(
      rules.map(({ spec, statusCode }) => [spec.limiter.name, statusCode]),
    );
  }

  /**
   * Requests a permit; returns undefined if no limit applies. Rethrows errors of the app's functions; no permit is held
   * then.
   *
   * @param reply The argument of the app's `classify`.
   */
  enter(request: R, exchange: Exchange, reply: unknown): GatedRequest | undefined {
    const outer = exchange.latest;
    try {
      return this.#enter(request, exchange, reply);
    } catch (error) {
      // Not every host reports the end of the response to an error.
      if (exchange.latest !== outer) exchange.latest?.permit?.release('ignored');
      throw reasonOf(error);
    }
  }

  #enter(request: R, exchange: Exchange, reply: unknown): GatedRequest | undefined {
    if (exchange.latest !== undefined) {
      exchange.kindInside = () => this.#settings.kindOf(request as never);
      if (!this.#hasCheckedNesting) checkNesting(exchange.latest, this.gate);
      this.#hasCheckedNesting = true;
    }
    if (isPreflight(this.framework, request) && !exchange.gone) {
      const permit = this.#preflights.tryAcquire();
      if (permit !== undefined) this.#skipped++;
      if (permit !== undefined) return this.#bypass(exchange, permit);
    }
    if (this.#skips(request)) {
      this.#skipped++;
      return undefined;
    }
    const outer = exchange.latest;
    if (outer === undefined) exchange.caller ??= exchange.findCaller();
    const demands = this.#runOnOuters(exchange, this.#demands(request, exchange));
    const asksGuard = this.#asksGuard(exchange);
    if (demands.length === 0 && !asksGuard) {
      const { latest } = exchange;
      return latest !== outer && latest instanceof UnlimitedRequest ? latest : undefined;
    }
    const { isAdaptive, sampleAt, priority, fairBy, queueTimeout } = this.#settings;
    const gated = new GatedRequest(this.#settings, exchange, demands);
    gated.httpRequest = request;
    if (isAdaptive) gated.outcomeOf = (permit) => this.#outcome(gated, request, reply, permit);
    if (sampleAt === 'first-byte') exchange.whenBodyBegins(() => gated.bodyBegan());
    if (priority !== undefined) gated.priority = checkPriority(priority(request) ?? 'normal');
    if (fairBy !== undefined) setGroup(gated, fairBy(request));
    // Called for requests that need not wait, too, so that a mistake in the function shows before the first overload.
    const timeout = queueTimeout && checkTimeout(queueTimeout(request));
    if (timeout !== undefined && queueTimeout?.max === undefined) gated.queueTimeout = timeout;
    else if (timeout !== undefined) gated.clientWaits(timeout);
    // Ends a chain of inner requests that would never end.
    if (exchange.caller !== undefined && exchange.depth > MAX_INNER) gated.queueTimeout = 0;
    gated.enter(asksGuard);
    return gated;
  }

  /** Runs an inner request on permits of the requests around it. Returns the demands that these do not meet. */
  #runOnOuters(exchange: Exchange, demands: Demands): Demands {
    if (exchange.caller === undefined || exchange.gone) return demands;
    const lenders = new Set<HandledRequest>();
    const rest = demands.filter((demand) => {
      const lender = [...exchange.outers()].find((gated) => gated.lends(demand));
      if (lender !== undefined) lenders.add(lender);
      return lender === undefined;
    });
    if (lenders.size === 0) return demands;
    this.#reentered += demands.length - rest.length;
    const permit = inner.tryAcquire() as BasePermit;
    const done = new Promise<void>((resolve) => {
      followPermit(permit, () => permit.released && resolve());
    });
    for (const lender of lenders) lender.lend(exchange, done);
    this.#bypass(exchange, permit);
    return rest;
  }

  /** Admits a request without its limits. It holds this permit until it is done. */
  #bypass(exchange: Exchange, permit: BasePermit): GatedRequest {
    const gated = new UnlimitedRequest(this.#settings, exchange, []);
    gated.admit(permit);
    exchange.observe(gated);
    return gated;
  }

  /** Header fields for every response, including rejections, if `headers` is set. */
  fields(gated: GatedRequest): Fields {
    if (!this.#settings.headers) return noFields;
    return limitFields(gated.demands, gated.admission.waited);
  }

  /** The response to a rejected request. */
  responseTo(gated: GatedRequest, request: R): RejectionResponse {
    const rejection = gated.rejection as Rejection;
    const { framework } = this;
    const { reason, limitName } = rejection;
    // A shutdown is not the client's fault, so a limit's own status (429, say) does not apply.
    const statusCode = reason === 'closed' ? 503 : (this.#statusCodes.get(limitName) ?? 503);
    if (statusCode === 503) checkShedding(this.#shed, rejection);
    const accept = framework.header(request, 'accept');
    const method = framework.method(request);
    return this.#responses.to(rejection, { method, accept, statusCode });
  }

  /** The statistics of the gate, and of requests that bypassed it. */
  stats(): HttpStats {
    return { ...gateStats(this.gate), skipped: this.#skipped, reentered: this.#reentered };
  }

  /** Undefined and null mean false, so that `skip` may read an optional property. */
  #skips(request: R): boolean {
    const skips: unknown = this.#settings.skip?.(request);
    if (skips === true || !skips) return skips === true;
    throw invalid('skip', 'a function that returns true or false', skips);
  }

  #demands(request: R, exchange: Exchange): Demands {
    const demands: Demand[] = [];
    for (const rule of this.#settings.rules) {
      const demand = rule.demand(request);
      if (demand !== undefined && !this.#holds(exchange, demand)) demands.push(demand);
    }
    return demands;
  }

  /** Whether the request already holds a permit of this limit from an outer middleware. It is not acquired twice. */
  #holds(exchange: Exchange, demand: Demand): boolean {
    for (let gated = exchange.latest; gated !== undefined; gated = gated.outer) {
      if (!gated.holds(demand)) continue;
      this.#reentered++;
      return true;
    }
    return false;
  }

  /** Whether to ask the guard. False if it has been asked for this request or, if this is an inner one, around it. */
  #asksGuard(exchange: Exchange): boolean {
    const { guard } = this.#settings;
    if (guard === undefined) return false;
    for (let gated = exchange.latest; gated !== undefined; gated = gated.outer) {
      if (gated.wasAdmittedBy(guard)) return false;
    }
    for (const gated of exchange.outers()) if (gated.wasAdmittedBy(guard)) return false;
    return true;
  }

  /** The outcome of a request, for an adaptive limit. Also tells the permit the kind of work. */
  #outcome(gated: GatedRequest, request: R, reply: unknown, permit: BasePermit): Outcome {
    const { framework } = this;
    const { classify } = this.#settings;
    try {
      permit.kind ??= gated.kind;
      const outcome = classify?.(reply as never) ?? 'ok';
      return checkChoice('classify', outcome, outcomes);
    } catch (error) {
      attempt(() => framework.report(request, reasonOf(error)));
      return 'ignored';
    }
  }
}

function setGroup(gated: GatedRequest, fairBy: unknown): void {
  const group = keyText(fairBy, 'fairBy', 'a function that returns ');
  if (group !== undefined) gated.fairBy = group;
}

function checkTimeout(timeout: unknown): number | undefined {
  if (timeout === undefined || (typeof timeout === 'number' && timeout >= 0)) return timeout;
  const expected = 'a function that returns milliseconds, 0 or more, or undefined';
  throw invalid('queueTimeout', expected, timeout);
}

/** Whether the request looks like a CORS preflight. */
function isPreflight<R>(framework: Framework<R>, request: R): boolean {
  return (
    framework.method(request) === 'OPTIONS' &&
    framework.header(request, 'origin') !== undefined &&
    framework.header(request, 'access-control-request-method') !== undefined
  );
}
