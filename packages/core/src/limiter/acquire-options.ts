import { checkDuration, checkNames, checkSignal } from '../checks.ts';
import { invalid, superfluous } from '../errors.ts';
import type { Priority } from '../semaphore/priority.ts';
import type { OrderOption } from '../semaphore/queue.ts';
import { checkOrdering } from '../semaphore/request.ts';

/** How a caller requests a permit. */
export interface AcquireOptions {
  /** Identifies whose limit the request counts against. Required if the limiter is keyed; otherwise an error. */
  key?: string | number | undefined;
  /** How much of the limit the request uses: a whole number from 1 to the limit. Default: 1. */
  weight?: number | undefined;
  /** The name of the request's share, if the limit is divided by `byShare()`. Default: no share. */
  share?: string | undefined;
  /** This key's own limit, if the limiter is keyed. The latest value applies while the key is in use. */
  limit?: number | undefined;
}

/** How a caller waits, at a limiter or a gate. */
export interface CommonWaitOptions {
  /** When it aborts, the waiter leaves the queue and `acquire` rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Which requests `byPriority()` serves first, and a guard sheds last; the default limit lets `critical` ones wait
   * longer. An error if there is neither. Default: `normal`.
   */
  priority?: Priority | undefined;
  /**
   * Groups requests (by tenant, say) for the order `fair()`: the groups are served in turn. An error with an order that
   * does not contain it. Default: all requests without a group form one.
   */
  fairBy?: string | undefined;
  /** Maximum wait in milliseconds, or Infinity. Default: the limiter's own. */
  queueTimeout?: number | undefined;
}

/** How a caller requests a permit of a limiter, and how long it waits. */
export interface WaitOptions extends AcquireOptions, CommonWaitOptions {}

export const waitOptions = [
  'signal',
  'queueTimeout',
  'priority',
  'fairBy',
] as const satisfies readonly (keyof CommonWaitOptions)[];

/** The options of `tryAcquire`, which `acquire` and `run` have too. */
export const acquireOptions: readonly string[] = ['key', 'weight', 'limit', 'share'];
const all: readonly string[] = [...acquireOptions, ...waitOptions];

/**
 * Checks all options of a request to a limiter, including those that have no effect while there is room.
 *
 * @throws HeadgateError for an unknown option, and for a value that is not allowed.
 */
export function checkAcquireOptions(owner: string, options: WaitOptions, known = all): void {
  if (!isKnown(options, known)) checkNames(owner, options, known);
  checkWaitOptions(options);
}

/** A loop, since this is a hot path: an array of names would cost more than everything else. */
function isKnown(options: WaitOptions, known: readonly string[]): boolean {
  if (typeof options !== 'object' || options === null) return false;
  for (const name in options) if (!known.includes(name)) return false;
  return true;
}

/** The properties of a limiter that say how it orders waiters. */
export interface Ordered {
  readonly name: string;
  /** Options that its order ignores. */
  readonly ignores?: readonly OrderOption[] | undefined;
}

/** @throws HeadgateError for an option that all of these limiters ignore, since it would have no effect. */
export function checkOrderOption(
  option: OrderOption,
  value: unknown,
  limiters: readonly Ordered[],
): void {
  if (value === undefined || !limiters.every(({ ignores }) => ignores?.includes(option))) return;
  const names = limiters.map(({ name }) => `"${name}"`).join(', ');
  const why = `as the order of ${names} is not ${option === 'priority' ? 'byPriority()' : 'fair()'}`;
  if (typeof value === 'function') throw superfluous(option, why);
  throw invalid(option, `omitted, ${why}`, value);
}

/** Checks the options of a wait, for a limiter or a gate. */
export function checkWaitOptions({
  signal,
  queueTimeout = 0,
  priority = 'normal',
  fairBy,
}: CommonWaitOptions): void {
  checkSignal(signal);
  checkDuration('queueTimeout', queueTimeout);
  checkOrdering({ priority, fairBy });
}
