import { type Clock, type Limiter, type LimitFactory, systemClock } from '@headgate/core';
import {
  checkCount,
  checkDuration,
  checkMethods,
  checkNames,
  invalid,
} from '@headgate/core/options';
import type { RetryBudget } from './retry-budget.ts';

/** Options of `limitFetch`. Durations are in milliseconds. */
export interface LimitFetchOptions {
  /** Maximum number of requests in flight to each origin: a whole number from 1, or `aimd()` or `adaptive()`. */
  limit: number | LimitFactory;
  /** Maximum wait for a permit, or Infinity. Default: 2,000. */
  queueTimeout?: number | undefined;
  /**
   * Returns the name of the limit of a request, which is given without its body. An error rejects the call. Default:
   * the origin of its URL.
   */
  key?: ((request: Request) => string) | undefined;
  /** Maximum duration of a call: its wait, all its tries, and the body of its response. Default: Infinity. */
  timeout?: number | undefined;
  /** Maximum duration of one try until the headers of its response have arrived. Default: Infinity. */
  tryTimeout?: number | undefined;
  /** Header field that carries the milliseconds that are left of the timeouts to the server. Default: none. */
  deadlineHeader?: string | undefined;
  /**
   * Maximum number of tries of a call, the first one included, if its method is idempotent and its body can be sent
   * again. Default: 1.
   */
  tries?: number | undefined;
  /** Limits further tries; may be shared. Default: a budget of a fifth of the successes for each origin. */
  budget?: RetryBudget | undefined;
  /** Longest pause that a server may ask for before the next try. If it asks for more, there is none. Default: 60,000. */
  maxPause?: number | undefined;
  /** Called with the limiter of each new origin, to instrument or observe it. An error rejects the call. */
  onLimiter?: ((limiter: Limiter) => void) | undefined;
  /** Time, timers and random numbers, for tests. Default: `systemClock`, those of the runtime. */
  clock?: Clock | undefined;
}

const known = [
  'limit',
  'queueTimeout',
  'key',
  'timeout',
  'tryTimeout',
  'deadlineHeader',
  'tries',
  'budget',
  'maxPause',
  'onLimiter',
  'clock',
] as const satisfies readonly (keyof LimitFetchOptions)[];

/** Validated options, with defaults. */
export interface Settings extends LimitFetchOptions {
  timeout: number;
  tryTimeout: number;
  tries: number;
  maxPause: number;
  clock: Clock;
}

/** Checks all options but those of a limiter, which the first limiter checks. */
export function checkOptions(options: LimitFetchOptions): Settings {
  checkNames('limitFetch', options, known);
  const { budget, key, onLimiter, deadlineHeader = 'none', clock = systemClock } = options;
  for (const [name, value] of Object.entries({ key, onLimiter }))
    if (value !== undefined && typeof value !== 'function')
      throw invalid(name, 'a function', value);
  if (!/^[\w-]+$/.test(deadlineHeader))
    throw invalid('deadlineHeader', 'the name of a header field', deadlineHeader);
  if (budget !== undefined) checkMethods('budget', budget, ['take', 'succeeded']);
  return {
    ...options,
    clock,
    timeout: checkDuration('timeout', options.timeout ?? Infinity),
    tryTimeout: checkDuration('tryTimeout', options.tryTimeout ?? Infinity),
    tries: checkCount('tries', options.tries ?? 1, 1),
    maxPause: checkDuration('maxPause', options.maxPause ?? 60_000),
  };
}
