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
import type { Limiter, LocalLimiter } from './limiter.ts';
import { checkOrder, type Order } from './line.ts';
import { InProcessLimiter } from './local-limiter.ts';
import { checkObserver, type Observer } from './observer.ts';
import { fifo } from './orders/fifo.ts';
import type { LimiterSettings } from './pools.ts';
import {
  checkSharing,
  type NameOfStore,
  type SharedOptions,
  type Sharing,
  sharedOptions,
} from './source.ts';

export interface LimiterOptions {
  /** The most weight in flight at once, per key where keyed: a whole number from 1, or without keys `adaptive()`. */
  limit: number | LimitFactory;
  /** Names it in rejections, statistics and events; needed with a store, as limits of one name are one limit there. Default: `'default'`. */
  name?: string | undefined;
  /** Every key has the limit to itself, and every caller must name one. Default: false. */
  perKey?: boolean | undefined;
  /**
   * How many may wait, per key where keyed; Infinity is allowed. Default: 0, all are turned away at once; beside
   * `queueWeight`, as many as that allows.
   */
  queueLimit?: number | undefined;
  /** The most weight that may wait, per key where keyed: a whole number from 0, or Infinity. Default: Infinity. */
  queueWeight?: number | undefined;
  /** Milliseconds that one may wait; Infinity is allowed. Default: 2,000. */
  queueTimeout?: number | undefined;
  /**
   * Who is next: `fifo()`, `lifo()`, `codel()`, and around one of these `byParty()`, `byPriority()`, `byShare()`.
   * Default: `fifo()`.
   */
  order?: Order | undefined;
  /** Milliseconds, more than 0, after which a permit is taken back and reported. Default: never. */
  maxHold?: number | undefined;
  /** The most that `Retry-After` says, in seconds: a whole number from 1. Default: 60. */
  maxRetryAfter?: number | undefined;
  /** Receives events. Default: none. */
  observer?: Observer | undefined;
  /** Default: `performance.now()` and the runtime's timers. */
  clock?: Clock | undefined;
  /** From 0 to below 1, for jitter. Default: `Math.random`. */
  random?: (() => number) | undefined;
}

/** Of a limit that is counted for several processes together: in order of arrival, and a number. */
export interface SharedLimiterOptions
  extends Omit<LimiterOptions, 'name' | 'limit' | 'order' | 'queueWeight'>,
    Sharing {
  /** What processes share it by: limits of one name on one store are one limit. */
  name: string;
  /** The most weight in flight at once over all processes, per key where keyed: a whole number from 1. */
  limit: number;
}

const known = [
  'limit',
  'name',
  ...sharedOptions,
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
] as const satisfies readonly (keyof LimiterOptions | keyof Sharing)[];

/**
 * A limit within this process, or with a `store` over all processes that share it.
 *
 * @throws HeadgateError where an option is unknown or has a value that makes no sense, or the store cannot honour it.
 */
export function createLimiter(options: SharedLimiterOptions): Limiter;
export function createLimiter(options: LimiterOptions & { store?: undefined }): LocalLimiter;
export function createLimiter(options: LimiterOptions & SharedOptions & NameOfStore): Limiter;
export function createLimiter(options: LimiterOptions): Limiter {
  return makeLimiter(checkLimiter(options));
}

export function makeLimiter(settings: LimiterSettings): Limiter {
  const { sharing } = settings;
  if (sharing === undefined) return new InProcessLimiter(settings);
  return sharing.store.limiter(settings);
}

/** Checks and completes what a limiter is told. */
export function checkLimiter(options: LimiterOptions & SharedOptions): LimiterSettings {
  checkNames('createLimiter', options, known);
  const { order = fifo(), queueWeight = Infinity } = options;
  const sharing = checkSharing(options);
  if (sharing !== undefined && options.name === undefined) throw unnamed();
  if (sharing !== undefined && options.order !== undefined) {
    throw invalid('order', 'left out beside a store, whose lines are in order of arrival', order);
  }
  const settings = {
    name: checkText('name', options.name ?? 'default'),
    perKey: checkFlag('perKey', options.perKey),
    limit: checkLimit(options.limit, options.perKey),
    queueLimit: checkBound('queueLimit', options.queueLimit ?? defaultQueueLimit(queueWeight)),
    queueWeight: checkBound('queueWeight', queueWeight),
    queueTimeout: checkDuration('queueTimeout', options.queueTimeout ?? 2000),
    order: checkOrder(order),
    sharing,
    maxHold: checkSpan('maxHold', options.maxHold ?? Infinity),
    maxRetryAfter: checkCount('maxRetryAfter', options.maxRetryAfter ?? 60, 1),
    observer: checkObserver(options.observer),
    clock: checkClock(options.clock),
    random: checkRandom(options.random),
  };
  if (sharing === undefined && queueWeight === Infinity) checkQueue(options);
  return settings;
}

/** @throws HeadgateError for a time to wait where the default lets no caller wait. */
export function checkQueue(options: { queueLimit?: unknown; queueTimeout?: unknown }): void {
  if (options.queueTimeout === undefined || options.queueLimit !== undefined) return;
  throw invalid('queueLimit', 'set beside queueTimeout, as no caller waits without it', undefined);
}

/** By a default, unrelated services on one server would share one limit. */
export function unnamed(): HeadgateError {
  return invalid('name', 'set beside a store, by which processes share the limit', undefined);
}

/** Nobody is to wait where nothing is said of it; a bound by weight is one by number, too. */
export function defaultQueueLimit(queueWeight: number): number {
  return queueWeight === Infinity ? 0 : Infinity;
}

function checkLimit(limit: number | LimitFactory, perKey: boolean | undefined) {
  if (typeof limit !== 'object' || typeof limit?.create !== 'function') {
    return checkCount('limit', limit, 1);
  }
  if (perKey === true) throw invalid('limit', 'a whole number where there are keys', limit);
  return limit;
}
