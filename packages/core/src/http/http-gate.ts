import { type Clock, systemClock } from '../clock.ts';
import { HeadgateError } from '../errors.ts';
import { createGate } from '../gate/create-gate.ts';
import type { Gate, GateStats } from '../gate/gate.ts';
import type { GateLimit } from '../gate/gate-limits.ts';
import type { Takes } from '../gate/takes.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Rejection } from '../limiter/rejection.ts';
import { checkChoice, checkDuration, checkFlag, checkFunction, checkNames } from '../options.ts';
import { type Answer, answerTo } from './answer.ts';
import type { Client } from './client.ts';
import { limitFields } from './fields.ts';
import type { Framework } from './framework.ts';
import type { CommonOptions, HttpOptions, LimitOptions } from './options.ts';
import { one, Rule, routingOf } from './rule.ts';
import { Visit } from './visit.ts';

export interface HttpStats extends GateStats {
  /** Requests let past by `skip`, and CORS preflights. */
  readonly skipped: number;
  /** Limits passed without a second permit, since the request held one already. */
  readonly reentered: number;
}

const known = [
  ...['name', 'limit', 'limiter', 'limits', 'key', 'route', 'weight', 'statusCode', 'queueLimit'],
  ...['queueTimeout', 'skip', 'onReject', 'mode', 'headers', 'maxHold', 'onDisconnect'],
  ...['maxRetryAfter', 'caseSensitive', 'strict', 'observer', 'clock', 'random'],
];

/** A gate before an app's handlers: reads what a request takes, and words what it is told. */
export class HttpGate<R> {
  readonly gate: Gate;
  readonly clock: Clock;
  readonly onDisconnect: 'wait' | 'release';
  readonly abandonAfter: number;
  readonly #rules: readonly Rule<R>[];
  /** What every request takes, where that is always the same. */
  readonly #constant: Takes | undefined;
  readonly #skip: ((request: R) => boolean) | undefined;
  readonly #headers: boolean;
  #skipped = 0;
  #reentered = 0;

  constructor(
    options: HttpOptions<R, never, unknown> & { abandonAfter?: number | undefined },
    private readonly framework: Framework<R>,
  ) {
    checkNames(framework.name, options, [...known, ...(framework.options ?? [])]);
    const { onDisconnect = 'wait', skip, onReject } = options;
    this.clock = options.clock ?? systemClock;
    this.onDisconnect = checkChoice('onDisconnect', onDisconnect, ['wait', 'release']);
    this.abandonAfter = checkDuration('abandonAfter', options.abandonAfter ?? 30_000);
    this.#skip = checkFunction('skip', skip);
    checkFunction('onReject', onReject);
    this.#headers = checkFlag('headers', options.headers);
    const routing = routingOf(options as CommonOptions<never, never, never>);
    this.#rules = written(options).map((limit) => new Rule(limit, framework, routing));
    this.gate = createGate({
      limits: this.#rules.map(({ gateLimit }) => gateLimit),
      ...{ queueLimit: options.queueLimit, queueTimeout: options.queueTimeout, mode: options.mode },
      ...{ maxHold: options.maxHold, maxRetryAfter: options.maxRetryAfter },
      ...{ observer: options.observer, clock: options.clock, random: options.random },
    });
    if (this.#rules.every(({ constant }) => constant)) this.#constant = this.#rules.map(() => one);
  }

  /** Undefined where nothing limits the request. Throws what the app's functions throw; nothing is held then. */
  enter(request: R, client: Client): Visit | undefined {
    if (this.#isPreflight(request) || this.#skip?.(request) === true) {
      this.#skipped++;
      return undefined;
    }
    const takes = this.#takes(request, client);
    if (takes === undefined) return undefined;
    const visit = new Visit(this as HttpGate<never>, client, takes);
    visit.begin();
    return visit;
  }

  /** To be appended to the header of a response, where `headers` asks for it. */
  fields(visit: Visit): readonly [name: string, value: string][] {
    if (!this.#headers) return noFields;
    return limitFields(this.gate.limits, visit.takes, visit.admission.waited);
  }

  /** The answer to a request that was turned away. */
  refuse(visit: Visit, rejection: Rejection, request: R): Answer {
    const { framework, gate } = this;
    const { reason, limit } = rejection;
    const index = gate.limits.findIndex(({ limiter }) => limiter.name === limit);
    // A server that shuts down is at fault itself, whatever the limit says of the client.
    const statusCode = reason === 'closed' ? 503 : (this.#rules[index]?.statusCode ?? 503);
    const accept = framework.header(request, 'accept');
    const answer = answerTo(rejection, { method: framework.method(request), accept, statusCode });
    return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(this.fields(visit)) } };
  }

  stats(): HttpStats {
    return { ...this.gate.stats(), skipped: this.#skipped, reentered: this.#reentered };
  }

  #takes(request: R, client: Client): Takes | undefined {
    if (this.#constant !== undefined && client.visits === undefined) return this.#constant;
    let applies = false;
    const takes = this.#rules.map((rule, index) => {
      const { limiter } = this.gate.limits[index] as GateLimit;
      const take = rule.take(request, limiter);
      if (take === undefined) return undefined;
      if (this.#holds(client, limiter, take.key)) return undefined;
      applies = true;
      return take;
    });
    return applies ? takes : undefined;
  }

  /** Stacked middleware: a share that the request holds already is not taken twice. */
  #holds(client: Client, limiter: Limiter, key: string | undefined): boolean {
    for (let visit = client.visits; visit !== undefined; visit = visit.outer) {
      if (!visit.holds(limiter, key)) continue;
      this.#reentered++;
      return true;
    }
    return false;
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

const noFields: [string, string][] = [];

/** One limit that is written plainly is a list of one. */
function written<R>(options: HttpOptions<R, never, unknown>): readonly LimitOptions<R>[] {
  if (options.limits !== undefined) {
    const plain = perLimit.find((name) => name in options);
    if (plain === undefined) return options.limits;
    const message = `${plain} must be written within limits, not beside it`;
    throw new HeadgateError('ERR_HEADGATE_OPTION', message, plain);
  }
  const { name = options.limiter === undefined ? 'default' : undefined } = options;
  const { limit, limiter, key, route, weight, statusCode } = options;
  const rule = { name, limit, limiter, key, route, weight, statusCode };
  return [rule as LimitOptions<R>];
}

const perLimit = ['name', 'limit', 'limiter', 'key', 'route', 'weight', 'statusCode'] as const;
