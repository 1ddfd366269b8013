import type { GateOptions } from '../gate/options.ts';
import type { DistributedOptions, NameRequiredWithStore } from '../limiter/distributed-options.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { CommonOptions, LimiterOptions } from '../limiter/options.ts';
import type { LimitFactory, Outcome } from '../limits/limit.ts';
import type { Priority } from '../semaphore/priority.ts';
import type { Order } from '../semaphore/queue.ts';
import type { Rejection } from '../semaphore/rejection.ts';

/** Checked as a method is, so that its parameters may have the app's own types: `(req: AuthRequest) => req.user.id`. */
type Fn<Args extends readonly unknown[], Result> = { call(...args: Args): Result }['call'];

/** Options of any limit; `R` is the framework's request. */
interface LimitRule<R> {
  /**
   * Applies the limit only to requests that match this pattern of the full path, with an optional method: `POST
   * /reports/:id`. Default: every request.
   */
  route?: string | undefined;
  /** How much of the limit a request uses: a whole number, clamped to 1…limit. Default: 1. */
  weight?: number | Fn<[request: R], number> | undefined;
  /** Status of the response when this limit rejects: from 400 to 599. Default: 503. */
  statusCode?: number | undefined;
}

/** Named parts of a limit, and the function that assigns requests to them. */
interface Shares<R> {
  /** The guaranteed parts of the limit by name: numbers above 0 with a sum of at most 1, `{ paid: 0.6, free: 0.3 }`. */
  parts: Readonly<Record<string, number>>;
  /** Returns the name of the share that the request belongs to, or undefined if it belongs to none. */
  by: Fn<[request: R], string | undefined>;
}

/** A limit that the middleware makes. */
interface OwnRule<R>
  extends LimitRule<R>,
    Pick<LimiterOptions, 'queueWeight'>,
    Omit<DistributedOptions, 'store'> {
  limiter?: undefined;
  /**
   * Guarantees parts of the limit to groups of requests. Other requests may use a part while it is unused. Released
   * capacity goes first to a share that uses less than its part. Default: none.
   */
  shares?: Shares<R> | undefined;
}

interface Key<R> {
  /**
   * Returns the key whose limit the request counts against: each key has its own count and queue. 42 and `'42'` are the
   * same key. If it returns undefined, the limit does not apply. Default: no keys.
   */
  key?: Fn<[request: R], string | number | undefined> | undefined;
}

interface FixedOrAdaptive {
  /**
   * Maximum weight in flight, per key if keyed. It may be adaptive if the limit has no keys, and depend on the request
   * if it has.
   */
  limit: number | LimitFactory;
}

interface PerRequest<R> extends Required<Key<R>> {
  /** The maximum weight in flight of the request's key: a whole number from 1. */
  limit: Fn<[request: R], number>;
}

/** The limit itself, and whether it is per key. */
type Limited<R> = (Key<R> & FixedOrAdaptive) | PerRequest<R>;

/**
 * `name` is required inside `limits`, and with a `store`. Otherwise it defaults to `'unnamed'`, or to `'default'` for
 * the default limit.
 */
type OwnLimit<R> = OwnRule<R> & Limited<R> & NameRequiredWithStore;

/**
 * A limiter that other routes, or work outside HTTP, use as well. Its remaining options are set on the limiter itself.
 */
type ReusedLimit<R> = LimitRule<R> &
  Key<R> & {
    limiter: Limiter;
    /** Returns the name of a request's share. The limiter's own order, `byShare()`, defines the parts. */
    shares?: (Pick<Shares<R>, 'by'> & { parts?: undefined }) | undefined;
  } & {
    [Name in Exclude<
      keyof OwnLimit<R>,
      keyof LimitRule<R> | 'limiter' | 'key' | 'shares'
    >]?: undefined;
  };

export type LimitOptions<R> =
  | (OwnRule<R> &
      Limited<R> & {
        /** Names the limit in rejections, statistics and events. */
        name: string;
        /** Counts the limit for all processes that use this store. Default: in this process. */
        store?: DistributedOptions['store'];
        /** Maximum number queued for this limit, per key if keyed, in addition to the middleware's `queueLimit`. */
        queueLimit?: number | undefined;
      })
  | (ReusedLimit<R> & { queueLimit?: undefined });

/**
 * `Args` are the arguments of the framework's middleware, `Result` is the result type of handlers, and `Reply` is the
 * argument of `classify`.
 */
export interface MiddlewareOptions<R, Args extends readonly unknown[], Result, Reply>
  extends Omit<CommonOptions, 'queueTimeout'>,
    Pick<GateOptions, 'guard' | 'mode'> {
  /**
   * Returns true for a request that bypasses the limits. Default: no request does, except CORS preflights, up to four
   * at a time, which this option does not affect.
   */
  skip?: Fn<[request: R], boolean | undefined> | undefined;
  /**
   * Responds instead of Headgate. It may call `next`, so that the handler sends a cheaper response. If it returns
   * `false`, or a promise of `false`, Headgate responds after all. In Express, Fastify and `node:http`, it must
   * respond, call `next` or return `false`; otherwise the client waits forever. In NestJS, its return value is sent.
   * Default: Headgate responds.
   */
  onReject?: Fn<[rejection: Rejection, ...args: Args], Result> | undefined;
  /**
   * Returns a request's priority. It decides the order in the queue, which waiter a full queue displaces, and which
   * requests a guard sheds. Do not read it from a header that any client can send. `undefined` means `normal`. Default:
   * `normal`.
   */
  priority?: Fn<[request: R], Priority | undefined> | undefined;
  /**
   * Groups requests, by tenant for instance. Groups are served in turn, counted by weight. All requests for which it
   * returns `undefined` form one group. Memory stays bounded even if clients invent group names. Default: no groups.
   */
  fairBy?: Fn<[request: R], string | number | undefined> | undefined;
  /**
   * Maximum wait of a request in milliseconds, over all its limits, or Infinity. While answers come too late for their
   * clients, a request waits no longer than answers have recently come in time; and one that would certainly time out is
   * rejected on arrival. A function returns it for each request, or undefined for the default. `timeLeft()` returns a
   * function that reads from the headers how long the client still waits. Default: 2,000; for a single reused limiter,
   * its own timeout.
   */
  queueTimeout?: number | Fn<[request: R], number | undefined> | undefined;
  /**
   * Order of the queue: `fifo()` or `lifo()`. With `priority` or `fairBy`, the order within a priority or a
   * group. Default: `fifo()`.
   */
  order?: Order | undefined;
  /**
   * Classifies a response for an adaptive limit when it has ended or, for the default limit, when it has begun.
   * `dropped`: the request failed because of overload. `ignored`: its duration says nothing. Default: `ok`.
   */
  classify?: Fn<[response: Reply], Outcome> | undefined;
  /**
   * What an adaptive limit judges: the time until the response has ended or, with `first-byte`, until its body begins.
   * Use `first-byte` for answers whose length depends on the client, such as downloads. For those of a language model,
   * keep `end`, so that the limit notices slow decoding. The default limit always judges the time until the response
   * begins. Default: `end`.
   */
  sampleAt?: 'end' | 'first-byte' | undefined;
  /** Adds `RateLimit-Policy`, `RateLimit` and `Server-Timing` to responses. Default: false. */
  headers?: boolean | undefined;
  /**
   * What happens to the permit when a client disconnects during its request. `wait` holds it until the handler is done
   * or, if nothing shows that, until a later request of the same route has been answered, for at most 30 seconds.
   * `release` releases it immediately. Default: `wait`.
   */
  onDisconnect?: 'wait' | 'release' | undefined;
}

/**
 * Options of a middleware whose limit may be omitted. Then only the guard applies or, without a guard, the default
 * limit. `limit` may be undefined, for instance if it is read from the environment.
 */
type OptionalLimit = {
  [Name in Exclude<keyof OwnLimit<never>, 'limit'> | 'limits']?: undefined;
} & { limit?: number | LimitFactory | undefined };

/** The options of a rule that a middleware with the default limit accepts. */
type DefaultLimitRule<R> = Pick<LimitRule<R>, 'route' | 'weight' | 'statusCode'> & {
  name?: string | undefined;
};

/**
 * The default limit: `defaultLimit()`. It does not count requests that only wait for their client.
 */
type DefaultLimit<R> = DefaultLimitRule<R> &
  Omit<OptionalLimit, keyof DefaultLimitRule<R>> & { guard?: undefined };

/**
 * One limit, several limits that a request must pass together, or only a guard. Without any of these, the default limit
 * applies, which adapts to the server.
 */
export type HttpOptions<R, Args extends readonly unknown[], Result, Reply> = MiddlewareOptions<
  R,
  Args,
  Result,
  Reply
> &
  (
    | ((OwnLimit<R> | ReusedLimit<R>) & {
        /** Not together with one limit. */
        limits?: undefined;
      })
    | (Omit<OptionalLimit, 'limits' | 'limit'> & {
        /**
         * Limits that a request must acquire together, in this order: those with a `key`, then those with a `route`,
         * then those that apply to every request.
         */
        limits: readonly LimitOptions<R>[];
        /** Not together with `limits`. */
        limit?: undefined;
      })
    | DefaultLimit<R>
    | OptionalLimit
  );

/** The options of any adapter, for any arguments and results of its middleware. */
export type AnyHttpOptions<R> = HttpOptions<R, never, unknown, never>;
