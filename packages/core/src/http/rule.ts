import { checkCount, checkFlag, checkFunction, checkNames } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import type { Demand } from '../gate/demands.ts';
import { inEntry } from '../gate/entry.ts';
import type { GateLimitOptions } from '../gate/options.ts';
import type { Limiter } from '../limiter/limiter.ts';
import { distributedOf, distributedOptions } from '../limiter/source.ts';
import type { LimitFactory } from '../limits/limit.ts';
import { byShare } from '../queues/by-share.ts';
import type { Order } from '../semaphore/queue.ts';
import type { Framework } from './framework.ts';
import type { CommonOptions, LimitOptions } from './options.ts';
import { compileRoute, type RouteTest, type Routing } from './route.ts';

/** Options of one limit: inside `limits`, or at the top level for a single limit. */
export const perLimit = [
  'name',
  'limit',
  'limiter',
  'key',
  'route',
  'weight',
  'shares',
  'shareBy',
  'queueWeight',
  ...distributedOptions,
  'statusCode',
] as const satisfies readonly (keyof LimitOptions<never>)[];

const known: readonly string[] = [...perLimit, 'queueLimit'];

/** Options that only apply to a limit that the middleware makes itself. */
const ownOnly = [
  'name',
  'limit',
  'shares',
  'queueLimit',
  'queueWeight',
  ...distributedOptions,
] as const;

const anyRouting: Routing = { caseSensitive: false, strict: false };

/** One limit of a middleware: which requests it applies to, and what they demand of it. */
export class Rule<R> {
  readonly statusCode: number;
  #limiter: Limiter | undefined;
  /** The demand of every request, if it is always the same. */
  #always: Demand | undefined;
  /** Compiled at the first request, which reveals how the framework matches paths. */
  #route: RouteTest | undefined;

  constructor(
    private readonly options: LimitOptions<R>,
    private readonly framework: Framework<R>,
    private readonly routing: Partial<Routing>,
  ) {
    const { key, limit, limiter, route, weight = 1, shares, shareBy, statusCode = 503 } = options;
    checkFunction('key', key);
    checkFunction('shareBy', shareBy);
    if (shares !== undefined && shareBy === undefined) {
      throw invalid('shareBy', 'set together with shares', shareBy);
    }
    if (typeof limit === 'function' && key === undefined) {
      throw invalid('limit', 'a whole number or adaptive() when there is no key', limit);
    }
    const { can } = (options.store ?? {}) as { can?: { keys?: boolean } };
    if (key !== undefined && can?.keys === false) {
      throw invalid('key', 'left out beside this store, which has no keys', key);
    }
    if (shares !== undefined && options.store !== undefined) {
      throw invalid('shares', 'omitted when there is a store', shares);
    }
    if (limiter !== undefined) checkShared(limiter, options);
    if (typeof weight !== 'function') checkCount('weight', weight, 1);
    this.statusCode = checkStatus(statusCode);
    // Compiled here only to reject a bad pattern at construction.
    if (route !== undefined) compileRoute(route, framework.compile, anyRouting);
  }

  /** @param entry Names it in errors where it is one of several. */
  static of<R>(
    options: LimitOptions<R>,
    framework: Framework<R>,
    routing: Partial<Routing>,
    entry: string | undefined,
  ): Rule<R> {
    return inEntry(entry, known, () => {
      checkNames(entry ?? 'concurrencyLimit', options, known);
      return new Rule(options, framework, routing);
    });
  }

  /** Whether the limit, or that of a reused limiter, is adaptive. */
  get adapts(): boolean {
    const { limit, limiter } = this.options;
    return typeof limit === 'object' || limiter?.adapts === true;
  }

  /** Whether the middleware makes the limiter, as opposed to reusing one. */
  get isOwn(): boolean {
    return this.options.limiter === undefined;
  }

  /** Whether the middleware decides the order of the limit's queue. */
  get hasOrder(): boolean {
    return this.isOwn && this.options.store === undefined;
  }

  /** The options of this limit for the gate. */
  limitOf(order: Order | undefined): GateLimitOptions {
    const { limiter, limit, name, key, shares, queueLimit, queueWeight } = this.options;
    const optional = this.options.route !== undefined;
    if (limiter !== undefined) return { limiter, optional };
    // If the limit depends on the request, every request carries its own; 1 is a placeholder.
    const initial = typeof limit === 'function' ? 1 : (limit as number | LimitFactory);
    const perKey = key !== undefined;
    const own = {
      name: name as string,
      limit: initial,
      perKey,
      queueLimit,
      queueWeight,
      optional,
      ...distributedOf(this.options),
    };
    if (shares === undefined) return own;
    return { ...own, order: byShare(shares, order) };
  }

  /** Sets the limiter that the gate uses for this rule. */
  bind(limiter: Limiter): void {
    const { key, route, weight = 1, shareBy } = this.options;
    this.#limiter = limiter;
    if (shareBy !== undefined && limiter.shareNames.length === 0) {
      throw invalid('shareBy', 'omitted when the limit has no shares', shareBy);
    }
    const isPlain = key === undefined && route === undefined && shareBy === undefined;
    if (isPlain && weight === 1) this.#always = { limiter, weight };
  }

  /** The request's demand; undefined if the limit does not apply. */
  take(request: R): Demand | undefined {
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
    const { options, framework, routing } = this;
    if (options.route === undefined) return true;
    this.#route ??= compileRoute(options.route, framework.compile, {
      ...framework.routing(request),
      ...routing,
    });
    return this.#route(framework.method(request), framework.path(request));
  }

  #key(request: R): string | undefined {
    const key = this.options.key?.(request);
    if (key === undefined || typeof key === 'string') return key;
    throw invalid('key', 'a function that returns a string or undefined', key, 'ERR_HEADGATE_KEY');
  }

  #share(request: R, { shareNames }: Limiter): string | undefined {
    const share = this.options.shareBy?.(request);
    if (share === undefined || shareNames.includes(share)) return share;
    const expected = `a function that returns ${shareNames.join(', ')} or undefined`;
    throw invalid('shareBy', expected, share);
  }

  /**
   * Clamped, since a client that controls the weight could otherwise cause errors; a weight that is not a whole
   * number is a bug in the app.
   */
  #weight(request: R, limit: number): number {
    const { weight = 1 } = this.options;
    const asked = typeof weight === 'function' ? weight(request) : weight;
    const whole = Number.isInteger(asked) || asked === Infinity || asked === -Infinity;
    if (whole) return Math.min(Math.max(asked, 1), limit);
    throw invalid('weight', 'a whole number', asked, 'ERR_HEADGATE_WEIGHT');
  }
}

/** The routing options that the app has set. */
export function routingOf(
  options: Pick<CommonOptions<never, never, never, never>, keyof Routing>,
): Partial<Routing> {
  const { caseSensitive, strict } = options;
  return {
    ...(caseSensitive === undefined
      ? {}
      : { caseSensitive: checkFlag('caseSensitive', caseSensitive) }),
    ...(strict === undefined ? {} : { strict: checkFlag('strict', strict) }),
  };
}

function checkStatus(value: unknown): number {
  if (Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599)
    return value as number;
  throw invalid('statusCode', 'a status from 400 to 599', value);
}

function checkShared<R>(limiter: Limiter, options: LimitOptions<R>): void {
  if (typeof limiter?.request !== 'function') throw invalid('limiter', 'a limiter', limiter);
  for (const option of ownOnly) {
    if (options[option] === undefined) continue;
    const message = `${option} is an option of the limiter itself: omit it when limiter is set`;
    throw new HeadgateError('ERR_HEADGATE_OPTION', message, option);
  }
  const { name, perKey } = limiter;
  if (perKey === (options.key !== undefined)) return;
  const message = perKey ? `limiter "${name}" is keyed: set key` : `limiter "${name}" is not keyed`;
  throw new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
}
