import {
  checkBound,
  checkCount,
  checkDuration,
  checkFlag,
  checkNames,
  checkSpan,
  checkText,
} from '../checks.ts';
import { type Clock, checkClock, checkRandom } from '../clock.ts';
import { type HeadgateError, invalid } from '../errors.ts';
import type { LimitFactory } from '../limits/limit.ts';
import { fifo } from '../queues/fifo.ts';
import { checkObserver, type Observer } from '../semaphore/observer.ts';
import { checkOrder, type Order } from '../semaphore/queue.ts';
import type { Limiter, LocalLimiter } from './limiter.ts';
import { InProcessLimiter } from './local-limiter.ts';
import {
  checkDistribution,
  type DistributedOptions,
  type Distribution,
  distributedOptions,
  type LimiterSettings,
  type NameOfStore,
} from './source.ts';

export interface LimiterOptions {
  /**
   * Maximum weight in flight at once, per key with `perKey`: a whole number from 1, or `adaptive()` without `perKey`.
   */
  limit: number | LimitFactory;
  /**
   * Names the limiter in rejections, statistics and events. Required with a store, where limits with the same name
   * are one limit. Default: `'default'`.
   */
  name?: string | undefined;
  /** Each key has its own limit; every caller must then pass a key. Default: false. */
  perKey?: boolean | undefined;
  /**
   * Maximum number of waiters, per key with `perKey`, or Infinity. Default: 0 (requests beyond the limit are rejected
   * immediately); with `queueWeight`, as many as that allows.
   */
  queueLimit?: number | undefined;
  /**
   * Maximum total weight of the waiters, per key with `perKey`: a whole number from 0, or Infinity. Default:
   * Infinity.
   */
  queueWeight?: number | undefined;
  /** Maximum wait in milliseconds, or Infinity. Default: 2,000. */
  queueTimeout?: number | undefined;
  /**
   * Queue order: `fifo()`, `lifo()`, `codel()`, or around one of these `fair()`, `byPriority()`, `byShare()`.
   * Default: `fifo()`.
   */
  order?: Order | undefined;
  /** Milliseconds, above 0, after which a permit is released and reported. Default: Infinity. */
  maxHold?: number | undefined;
  /** Maximum `retryAfter` of a rejection, in seconds: a whole number from 1. Default: 60. */
  maxRetryAfter?: number | undefined;
  /** Receives events. Default: none. */
  observer?: Observer | undefined;
  /** Time and timers, for tests. Default: `performance.now()` and the runtime's timers. */
  clock?: Clock | undefined;
  /** Returns random numbers from 0 to below 1, for the jitter of `retryAfter`. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** Options of a distributed limit: its queue is FIFO and its limit a number. */
export interface DistributedLimiterOptions
  extends Omit<LimiterOptions, 'name' | 'limit' | 'order' | 'queueWeight'>,
    Distribution {
  /** Limits with the same name on one store are one limit. */
  name: string;
  /** Maximum weight in flight at once over all processes, per key with `perKey`: a whole number from 1. */
  limit: number;
}

const known = [
  'limit',
  'name',
  ...distributedOptions,
  'perKey',
  'queueLimit',
  'queueWeight',
  'queueTimeout',
  'order',
  'maxHold',
  'maxRetryAfter',
  'observer',
  'clock',
  'random',
] as const satisfies readonly (keyof LimiterOptions | keyof Distribution)[];

/**
 * Creates a limiter for this process or, with a `store`, for all processes that use the store.
 *
 * @throws HeadgateError for an unknown option, a value that is not allowed, or an option that the store cannot honour.
 */
export function createLimiter(options: DistributedLimiterOptions): Limiter;
export function createLimiter(options: LimiterOptions & { store?: undefined }): LocalLimiter;
export function createLimiter(options: LimiterOptions & DistributedOptions & NameOfStore): Limiter;
export function createLimiter(options: LimiterOptions): Limiter {
  return makeLimiter(checkLimiter(options));
}

export function makeLimiter(settings: LimiterSettings): Limiter {
  const { distribution } = settings;
  if (distribution === undefined) return new InProcessLimiter(settings);
  return distribution.store.limiter(settings);
}

/** Validates the options of a limiter and adds the defaults. */
export function checkLimiter(options: LimiterOptions & DistributedOptions): LimiterSettings {
  checkNames('createLimiter', options, known);
  const { order = fifo(), queueWeight = Infinity } = options;
  const distribution = checkDistribution(options);
  if (distribution !== undefined && options.name === undefined) throw unnamed();
  if (distribution !== undefined && options.order !== undefined) {
    throw invalid('order', 'left out with a store, whose queues are FIFO', order);
  }
  const settings = {
    name: checkText('name', options.name ?? 'default'),
    perKey: checkFlag('perKey', options.perKey),
    limit: checkLimit(options.limit, options.perKey),
    queueLimit: checkBound('queueLimit', options.queueLimit ?? defaultQueueLimit(queueWeight)),
    queueWeight: checkBound('queueWeight', queueWeight),
    queueTimeout: checkDuration('queueTimeout', options.queueTimeout ?? 2000),
    order: checkOrder(order),
    distribution,
    maxHold: checkSpan('maxHold', options.maxHold ?? Infinity),
    maxRetryAfter: checkCount('maxRetryAfter', options.maxRetryAfter ?? 60, 1),
    observer: checkObserver(options.observer),
    clock: checkClock(options.clock),
    random: checkRandom(options.random),
  };
  if (distribution === undefined && queueWeight === Infinity) checkQueue(options);
  return settings;
}

/** @throws HeadgateError for a `queueTimeout` without a queue. */
export function checkQueue(options: { queueLimit?: unknown; queueTimeout?: unknown }): void {
  if (options.queueTimeout === undefined || options.queueLimit !== undefined) return;
  throw invalid('queueLimit', 'set together with queueTimeout: its default is 0', undefined);
}

/** A default name would make unrelated services on one server share one limit. */
export function unnamed(): HeadgateError {
  return invalid('name', 'set with a store: processes share a limit by its name', undefined);
}

/** Without `queueWeight` there is no queue by default; with it, the weight alone bounds the queue. */
export function defaultQueueLimit(queueWeight: number): number {
  return queueWeight === Infinity ? 0 : Infinity;
}

function checkLimit(limit: number | LimitFactory, perKey: boolean | undefined) {
  if (typeof limit !== 'object' || typeof limit?.create !== 'function') {
    return checkCount('limit', limit, 1);
  }
  if (perKey === true) throw invalid('limit', 'a whole number with perKey', limit);
  return limit;
}
