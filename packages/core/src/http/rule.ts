import { checkCount, checkFunction, checkNames, firstSet } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import type { Demand } from '../gate/demands.ts';
import { inEntry, isLimiter, type LimitSpec, ownSpec, reusedSpec } from '../gate/limit-spec.ts';
import { distributedOptions } from '../limiter/distributed-options.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { commonOptions, type LimitDefaults, UNNAMED } from '../limiter/options.ts';
import { byShare } from '../queues/by-share.ts';
import type { Order } from '../semaphore/queue.ts';
import { keyText } from '../semaphore/request.ts';
import type { Framework } from './framework.ts';
import { LimitCheck } from './mistakes.ts';
import type { AnyHttpOptions, LimitOptions, MiddlewareOptions } from './options.ts';
import { compileRoute, type RouteTest } from './route.ts';

/** Options of a limit that the middleware makes; not allowed with a reused limiter. */
export const onlyOwn = ['limit', 'queueWeight', ...distributedOptions] as const;

/** All options of a limit that the middleware makes. A reused limiter sets them itself. */
const ownLimit = ['name', ...onlyOwn] as const;

/** Options of one limit: inside `limits`, or at the top level for a single limit. */
export const perLimit = [
  ...ownLimit,
  'limiter',
  'key',
  'route',
  'weight',
  'shares',
  'statusCode',
] as const satisfies readonly (keyof LimitOptions<never>)[];

/** Options of a whole middleware. If it has several limits, they are set next to `limits`. */
export const perMiddleware = [
  'skip',
  'onReject',
  'priority',
  'fairBy',
  'guard',
  'classify',
  'sampleAt',
  'mode',
  'headers',
  'onDisconnect',
  ...commonOptions,
] as const satisfies readonly (keyof MiddlewareOptions<never, never, never, never>)[];

/** Settings that all limits of a middleware share. */
interface RuleContext<R> extends LimitDefaults {
  readonly framework: Framework<R>;
}

/** One limit of a middleware: selects the requests that it applies to, and determines their demands. */
export class Rule<R> {
  /** Status code of rejections by this limit. */
  readonly statusCode: number;
  readonly spec: LimitSpec;
  #limiter: Limiter | undefined;
  /** The demand, if it is the same for every request. */
  #always: Demand | undefined;
  /** Compiled at the first request, since only then is it known how the framework matches paths. */
  #route: RouteTest | undefined;
  /** Defined while the first requests are still being examined for mistakes. */
  #check: LimitCheck<R> | undefined;

  constructor(
    private readonly options: LimitOptions<R>,
    private readonly context: RuleContext<R>,
  ) {
    const { key, limit, route, weight = 1, shares, statusCode = 503 } = options;
    checkFunction('key', key);
    if (shares !== undefined) {
      checkNames('shares', shares, ['parts', 'by']);
      if (typeof shares.by !== 'function') throw invalid('shares.by', 'a function', shares.by);
    }
    if (typeof limit === 'function' && key === undefined) {
      const message =
        'limit must be a whole number or adaptive() when there is no key, got a function';
      throw new HeadgateError('ERR_HEADGATE_OPTION', message, 'limit');
    }
    if (typeof weight !== 'function') checkCount('weight', weight, 1);
    if (!(Number.isInteger(statusCode) && statusCode >= 400 && statusCode <= 599))
      throw invalid('statusCode', 'a status from 400 to 599', statusCode);
    this.statusCode = statusCode;
    // Compiled here only to throw for an invalid pattern at construction.
    const anyRouting = { caseSensitive: false, strict: false };
    if (route !== undefined) compileRoute(route, context.framework.compile, anyRouting);
    this.spec = specOf(options, context);
  }

  /** Whether the limit is adaptive. For a reused limiter: whether that limiter's limit is. */
  get isAdaptive(): boolean {
    const { owned, limiter } = this.spec;
    return owned ? typeof limiter.limit === 'object' : limiter.isAdaptive;
  }

  /** Sets the limiter that the gate uses for this rule. */
  bind(limiter: Limiter): void {
    const { key, route, weight = 1, shares } = this.options;
    this.#limiter = limiter;
    if (shares !== undefined && limiter.shareNames.length === 0) {
      throw invalid('shares', 'omitted when the limiter has no shares', shares);
    }
    const isPlain = key === undefined && route === undefined && shares === undefined;
    if (isPlain && weight === 1) this.#always = { limiter, weight };
    else this.#check = new LimitCheck(this.context.framework, limiter.name);
  }

  /** Returns the request's demand, or undefined if the limit does not apply. */
  demand(request: R): Demand | undefined {
    const limiter = this.#limiter;
    if (this.#always !== undefined) return this.#always;
    if (limiter === undefined || !this.#applies(request)) return undefined;
    const key = this.#key(request);
    if (key === undefined && limiter.perKey) return undefined;
    const { limit: asked } = this.options;
    const limit = typeof asked === 'function' ? checkCount('limit', asked(request), 1) : undefined;
    const share = this.#share(request, limiter);
    return { limiter, key, limit, weight: this.#weight(request, limit ?? limiter.limit), share };
  }

  #applies(request: R): boolean {
    const { route } = this.options;
    if (route === undefined) return true;
    const { framework } = this.context;
    this.#route ??= compileRoute(route, framework.compile, framework.routing(request));
    const applies = this.#route(framework.method(request), framework.path(request));
    if (applies) this.#check?.matched();
    else this.#check?.unmatched(request, route, this.#route);
    return applies;
  }

  #key(request: R): string | undefined {
    if (this.options.key === undefined) return undefined;
    const key = keyText(this.options.key(request), 'key', 'a function that returns ');
    this.#check?.keyed(request, key);
    return key;
  }

  #share(request: R, { shareNames }: Limiter): string | undefined {
    const share = this.options.shares?.by(request);
    if (share === undefined || shareNames.includes(share)) return share;
    const names = shareNames.map((name) => JSON.stringify(name)).join(', ');
    const expected = `a function that returns the name of a share (${names}) or undefined`;
    throw invalid('shares.by', expected, share);
  }

  /**
   * The weight, clamped to 1…limit: a client that controls the weight could otherwise cause errors. A weight that is
   * not a whole number is a bug in the app, so it throws.
   */
  #weight(request: R, limit: number): number {
    const { weight = 1 } = this.options;
    const asked = typeof weight === 'function' ? weight(request) : weight;
    const whole = Number.isInteger(asked) || asked === Infinity || asked === -Infinity;
    if (whole) return Math.min(Math.max(asked, 1), limit);
    throw invalid('weight', 'a whole number', asked, 'ERR_HEADGATE_WEIGHT');
  }
}

/** The rules of a middleware. A single limit given directly in the options is treated like a list of one. */
export function rulesOf<R>(
  options: AnyHttpOptions<R>,
  framework: Framework<R>,
  order: Order | undefined,
): Rule<R>[] {
  const { limits, queueLimit } = options;
  const context = { framework, queueLimit, order };
  const single = firstSet(options, perLimit);
  if (limits === undefined) {
    if (options.guard !== undefined && single === undefined) return [];
    // At the top level, `queueLimit` belongs to the middleware.
    const limit = { ...options, queueLimit: undefined } as LimitOptions<R>;
    return [new Rule(limit, { ...context, name: UNNAMED })];
  }
  if (!Array.isArray(limits)) throw invalid('limits', 'an array', limits);
  if (single !== undefined) throw wrongPlace(single, 'inside limits, not next to it');
  const known = [...perLimit, 'queueLimit'];
  const common = perMiddleware.filter((name) => name !== 'queueLimit');
  return limits.map((limit: LimitOptions<R>, index) => {
    const entry = `limits[${index}]`;
    return inEntry(entry, known, () => {
      const inside = isLimiter(limit) ? undefined : firstSet(limit, common);
      if (inside !== undefined) throw wrongPlace(`${entry}.${inside}`, 'next to limits');
      checkNames(entry, limit, known);
      return new Rule(limit, context);
    });
  });
}

function wrongPlace(option: string, place: string): HeadgateError {
  return new HeadgateError('ERR_HEADGATE_OPTION', `${option} must be set ${place}`, option);
}

const others = ['shares', ...onlyOwn.filter((option) => option !== 'limit')].join(', ');
const NO_DEFAULT = `set: only a middleware without limits, guard, key, ${others} has a default limit`;

/** The spec of the limit, for the gate. */
function specOf<R>(options: LimitOptions<R>, gate: RuleContext<R>): LimitSpec {
  const { key } = options;
  const optional = options.route !== undefined;
  if (options.limiter !== undefined) {
    const spec = reusedSpec(options.limiter, optional);
    checkReused(options.limiter, options);
    return spec;
  }
  if (options.limit === undefined) throw invalid('limit', NO_DEFAULT, undefined);
  const { shares } = options;
  if (shares !== undefined && options.store !== undefined) {
    throw invalid('shares', 'omitted with a store', shares);
  }
  // A placeholder if the limit depends on the request, since each request then sets the limit of its key.
  const limit = typeof options.limit === 'function' ? 1 : options.limit;
  const order = shares && inEntry('shares', ['parts'], () => byShare(shares.parts, gate.order));
  const spec = ownSpec({ ...options, limit, perKey: key !== undefined, order }, optional, gate);
  if (typeof options.limit !== 'function') return spec;
  return { ...spec, limiter: { ...spec.limiter, isLimitPerRequest: true } };
}

function checkReused<R>(limiter: Limiter, options: LimitOptions<R>): void {
  const own = firstSet(options, [...ownLimit, 'queueLimit']);
  const option = options.shares?.parts === undefined ? own : 'shares.parts';
  if (option !== undefined) {
    const message = `${option} is an option of the limiter itself: omit it when limiter is set`;
    throw new HeadgateError('ERR_HEADGATE_OPTION', message, option);
  }
  const { name, perKey } = limiter;
  if (perKey === (options.key !== undefined)) return;
  const message = perKey ? `limiter "${name}" is keyed: set key` : `limiter "${name}" is not keyed`;
  throw new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
}
