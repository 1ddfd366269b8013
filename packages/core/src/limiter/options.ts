import {
  checkBound,
  checkCount,
  checkDuration,
  checkFlag,
  checkNames,
  checkSpan,
  checkText,
} from '../checks.ts';
import { type Clock, checkClock } from '../clock.ts';
import { invalid } from '../errors.ts';
import { isControlled, type LimitFactory } from '../limits/limit.ts';
import { fifo } from '../queues/fifo.ts';
import { Observers } from '../semaphore/observers.ts';
import { checkOrder, type Order } from '../semaphore/queue.ts';
import {
  checkDistribution,
  type DistributedOptions,
  type Distribution,
  distributedOptions,
  type LimiterSettings,
} from './distributed-options.ts';

/** Options that limiters, gates and middleware have in common. */
export interface CommonOptions {
  /**
   * Maximum number of queued requests, or Infinity; per key for a limiter with `perKey`. 0 rejects requests beyond the
   * limit immediately. Default: 1,000; for a single reused limiter, its own queue limit.
   */
  queueLimit?: number | undefined;
  /**
   * Maximum wait of a request in milliseconds, over all its limits, or Infinity. While answers come too late for their
   * clients, a request waits no longer than answers have recently come in time; and one that would certainly time out is
   * rejected on arrival. Default: 2,000; for a single reused limiter, its own timeout.
   */
  queueTimeout?: number | undefined;
  /**
   * Queue order: `fifo()`, `lifo()`, or around one of these `fair()`, `byPriority()`, `byShare()`.
   * Default: `fifo()`.
   */
  order?: Order | undefined;
  /**
   * Maximum time in milliseconds for which a permit is held (above 0). After that it is released and reported. Default:
   * Infinity.
   */
  maxHold?: number | undefined;
  /** Time, timers and random numbers, for tests. Default: `systemClock`, those of the runtime. */
  clock?: Clock | undefined;
}

/** Options of `createLimiter`. */
export interface LimiterOptions extends CommonOptions {
  /**
   * Maximum weight in flight at once, per key with `perKey`: a whole number from 1, or `adaptive()` without `perKey`.
   */
  limit: number | LimitFactory;
  /**
   * Names the limiter in rejections, statistics and events. Required with a store, where limiters of the same name
   * enforce one common limit. Default: `'unnamed'`.
   */
  name?: string | undefined;
  /** Each key has its own limit; every caller must then pass a key. Default: false. */
  perKey?: boolean | undefined;
  /**
   * Maximum total weight of the waiters, per key if keyed: a whole number from 0, or Infinity. Default: Infinity.
   */
  queueWeight?: number | undefined;
  /** Longest pause in milliseconds that `refused` and `pauseFor` may begin; at most an hour counts. Default: 120,000. */
  maxPause?: number | undefined;
}

/** Options of a distributed limit: its queue is FIFO and its limit a number. */
export interface DistributedLimiterOptions
  extends Omit<LimiterOptions, 'name' | 'limit' | 'order' | 'queueWeight'>,
    Distribution {
  /** Limiters of the same name on one store enforce one common limit. */
  name: string;
  /** Maximum weight in flight at once over all processes, per key with `perKey`: a whole number from 1. */
  limit: number;
}

export const commonOptions = [
  'queueLimit',
  'queueTimeout',
  'order',
  'maxHold',
  'clock',
] as const satisfies readonly (keyof CommonOptions)[];

/** The common options, validated. Defaults that depend on other options are still undefined. */
export interface CommonSettings extends Pick<LimiterSettings, 'maxHold' | 'observers' | 'clock'> {
  readonly queueLimit: number | undefined;
  readonly queueTimeout: number | undefined;
  readonly order: Order | undefined;
}

export function checkCommon(options: CommonOptions): CommonSettings {
  const { queueLimit, queueTimeout, order } = options;
  if (queueLimit !== undefined) checkBound('queueLimit', queueLimit);
  if (queueTimeout !== undefined) checkDuration('queueTimeout', queueTimeout);
  if (order !== undefined) checkOrder(order);
  return {
    queueLimit,
    queueTimeout,
    order,
    maxHold: checkSpan('maxHold', options.maxHold ?? Infinity),
    observers: new Observers(),
    clock: checkClock(options.clock),
  };
}

/** The validated options of one limit. The other options of its limiter are the same for all limits of a gate. */
export type LimitSettings = Pick<
  LimiterSettings,
  | 'name'
  | 'perKey'
  | 'limit'
  | 'isLimitPerRequest'
  | 'queueLimit'
  | 'queueWeight'
  | 'order'
  | 'maxPause'
  | 'distribution'
>;

/** Defaults of a limit: its `name`, if it may be omitted, and its `order`, which applies only without a store. */
export type LimitDefaults = Pick<LimiterOptions, 'name' | 'queueLimit' | 'order'>;

/**
 * The options of a request that its limit ignores. The default limit uses the priority: it lets critical requests wait
 * longer.
 */
export function ignoredOptions({ limit, order }: Pick<LimitSettings, 'limit' | 'order'>) {
  const { ignores } = order;
  return isControlled(limit) ? ignores.filter((option) => option !== 'priority') : ignores;
}

export function checkLimit(
  options: LimiterOptions & DistributedOptions,
  defaults: LimitDefaults,
): LimitSettings {
  const { name, order } = options;
  const distribution = checkDistribution(options);
  if (distribution !== undefined) {
    // Without a store, the name has a default. With one, unrelated services on the same server would share one limit.
    if (name === undefined && defaults.name !== undefined)
      throw invalid('name', 'set with a store: processes share a limit by its name', name);
    if (order !== undefined) throw invalid('order', 'omitted with a store', order);
  }
  const checkedName = checkText('name', name ?? defaults.name);
  const perKey = checkFlag('perKey', options.perKey);
  const limit = checkLimitValue(options.limit, perKey);
  const defaultQueueLimit = isControlled(limit) ? Infinity : defaults.queueLimit;
  return {
    name: checkedName,
    perKey,
    limit,
    queueLimit: checkBound('queueLimit', options.queueLimit ?? defaultQueueLimit),
    queueWeight: checkBound('queueWeight', options.queueWeight ?? Infinity),
    order: checkOrder(order ?? (distribution ? undefined : defaults.order) ?? fifo()),
    maxPause: Math.min(checkDuration('maxPause', options.maxPause ?? 120_000), MAX_PAUSE),
    distribution,
  };
}

/** Longest pause of a limit in milliseconds: an hour. */
export const MAX_PAUSE = 3_600_000;

/** The name of a limit to which the app has given no name. */
export const UNNAMED = 'unnamed';

/** The default queue. It bounds the wait, and limits the memory for queued HTTP requests to some ten megabytes. */
export const defaultQueue = { queueLimit: 1000, queueTimeout: 2000 } as const;

const known = [
  'limit',
  'name',
  ...distributedOptions,
  'perKey',
  'queueWeight',
  'maxPause',
  ...commonOptions,
] as const satisfies readonly (keyof LimiterOptions | keyof Distribution)[];

/** Validates the options of a limiter and adds the defaults. */
export function checkLimiter(options: LimiterOptions & DistributedOptions): LimiterSettings {
  checkNames('createLimiter', options, known);
  const common = checkCommon(options);
  const { queueLimit, queueTimeout } = defaultQueue;
  const limit = checkLimit(options, { name: UNNAMED, queueLimit });
  return { ...common, ...limit, queueTimeout: common.queueTimeout ?? queueTimeout };
}

function checkLimitValue(limit: number | LimitFactory, perKey: boolean): number | LimitFactory {
  if (typeof limit !== 'object' || typeof limit?.create !== 'function') {
    return checkCount('limit', limit, 1);
  }
  if (perKey) throw invalid('limit', 'a whole number when the limit is keyed', limit);
  return limit;
}
