import { checkCount, checkFlag, checkFunction, checkNames } from '../checks.ts';
import { HeadgateError, invalid } from '../errors.ts';
import { inEntry } from '../gate/entry.ts';
import type { GateLimitOptions } from '../gate/options.ts';
import type { Take } from '../gate/takes.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { Order } from '../limiter/line.ts';
import { byShare } from '../limiter/orders/by-share.ts';
import { sharedOf, sharedOptions } from '../limiter/source.ts';
import type { LimitFactory } from '../limits/limit.ts';
import type { Framework } from './framework.ts';
import type { CommonOptions, LimitOptions } from './options.ts';
import { compileRoute, type RouteTest, type Routing } from './route.ts';

/** What is said of one limit, within `limits` or beside the options of the whole. */
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
  ...sharedOptions,
  'statusCode',
] as const satisfies readonly (keyof LimitOptions<never>)[];

const known: readonly string[] = [...perLimit, 'queueLimit'];

/** What only a limit of the middleware's own can be told. */
const ownOnly = ['name', 'limit', 'shares', 'queueLimit', 'queueWeight', ...sharedOptions] as const;

const anyRouting: Routing = { caseSensitive: false, strict: false };

/** What one limit asks of a request. */
export class Rule<R> {
  readonly statusCode: number;
  #limiter: Limiter | undefined;
  /** What every request takes, where that is always the same. */
  #always: Take | undefined;
  /** Compiled at the first request, which shows how the framework matches. */
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
      throw invalid('shareBy', 'set beside shares', shareBy);
    }
    if (typeof limit === 'function' && key === undefined) {
      throw invalid('limit', 'a whole number or adaptive() where there is no key', limit);
    }
    const { can } = (options.store ?? {}) as { can?: { keys?: boolean } };
    if (key !== undefined && can?.keys === false) {
      throw invalid('key', 'left out beside this store, which has no keys', key);
    }
    if (shares !== undefined && options.store !== undefined) {
      throw invalid('shares', 'left out beside a store', shares);
    }
    if (limiter !== undefined) checkShared(limiter, options);
    if (typeof weight !== 'function') checkCount('weight', weight, 1);
    this.statusCode = checkStatus(statusCode);
    // Only to refuse a bad pattern at once.
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

  /** Whether the limit moves, perhaps that of a shared limiter. */
  get adapts(): boolean {
    const { limit, limiter } = this.options;
    return typeof limit === 'object' || limiter?.adapts === true;
  }

  /** Whether the middleware makes it. */
  get isOwn(): boolean {
    return this.options.limiter === undefined;
  }

  /** Whether its line is the middleware's to order. */
  get hasOrder(): boolean {
    return this.isOwn && this.options.store === undefined;
  }

  /** For the gate that is to enforce it. */
  limitOf(order: Order | undefined): GateLimitOptions {
    const { limiter, limit, name, key, shares, queueLimit, queueWeight } = this.options;
    const optional = this.options.route !== undefined;
    if (limiter !== undefined) return { limiter, optional };
    // Where it depends on the request, every request brings it along.
    const least = typeof limit === 'function' ? 1 : (limit as number | LimitFactory);
    const perKey = key !== undefined;
    const own = {
      name: name as string,
      limit: least,
      perKey,
      queueLimit,
      queueWeight,
      optional,
      ...sharedOf(this.options),
    };
    if (shares === undefined) return own;
    return { ...own, order: byShare(shares, order) };
  }

  /** The gate's limiter for it. */
  bind(limiter: Limiter): void {
    const { key, route, weight = 1, shareBy } = this.options;
    this.#limiter = limiter;
    if (shareBy !== undefined && limiter.shareNames.length === 0) {
      throw invalid('shareBy', 'left out where the limit has no shares', shareBy);
    }
    const isPlain = key === undefined && route === undefined && shareBy === undefined;
    if (isPlain && weight === 1) this.#always = { limiter, weight };
  }

  /** What the request takes; undefined where the limit does not apply. */
  take(request: R): Take | undefined {
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

  /** Clamped, or a client that may choose it could cause errors; what is no whole number is a bug of the app's. */
  #weight(request: R, limit: number): number {
    const { weight = 1 } = this.options;
    const asked = typeof weight === 'function' ? weight(request) : weight;
    const whole = Number.isInteger(asked) || Math.abs(asked) === Infinity;
    if (whole && typeof asked === 'number') return Math.min(Math.max(asked, 1), limit);
    throw invalid('weight', 'a whole number', asked, 'ERR_HEADGATE_WEIGHT');
  }
}

/** What the app has said of it, if anything. */
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
    const message = `${option} is the limiter's own affair: leave it out beside limiter`;
    throw new HeadgateError('ERR_HEADGATE_OPTION', message, option);
  }
  const { name, perKey } = limiter;
  if (perKey === (options.key !== undefined)) return;
  const message = perKey ? `limiter "${name}" is keyed: set key` : `limiter "${name}" is not keyed`;
  throw new HeadgateError('ERR_HEADGATE_KEY', message, 'key');
}
