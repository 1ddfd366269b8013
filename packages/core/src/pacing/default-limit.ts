import { checkDuration, checkNames } from '../checks.ts';
import { adaptive } from '../limits/adaptive.ts';
import type { Bounds, LimitFactory } from '../limits/limit.ts';
import type { EventLoop } from './event-loop.ts';
import { PaceController } from './pace-controller.ts';
import { threadEventLoop } from './thread-event-loop.ts';

export interface DefaultLimitOptions extends Bounds {
  /**
   * Minimum of the adaptive limit. It is low for the sake of dependencies that handle only a few requests at a time: how
   * long work takes without load is known once the limit is about what they can do. Default: 4.
   */
  min?: number | undefined;
  /**
   * Maximum of the adaptive limit. Work that makes no progress does not count against it. Default: 10,000.
   */
  max?: number | undefined;
  /** Initial value of the adaptive limit. Default: 8, or the nearest bound. */
  initial?: number | undefined;
  /**
   * Maximum wait in milliseconds of requests that are not critical. With 0 there is no queue: every request that cannot
   * start, critical or not, is rejected immediately. Default: no bound but that of the default limit, 250 ms or, for a
   * burst, about a second.
   */
  maxWait?: number | undefined;
}

/**
 * The limit of a middleware that has none of its own, which needs no numbers. Requests start no faster than the event loop
 * handles them, and `adaptive()` bounds how many wait for something else. The others are queued for about as long as they
 * can be answered in time, and then rejected (`overloaded`). The queue waits only while work makes progress. For a limit
 * that is not keyed.
 *
 * @param loop The event loop, for tests. Default: that of this thread.
 * @throws HeadgateError for an unknown or invalid option.
 */
export function defaultLimit(
  options: DefaultLimitOptions = {},
  loop: EventLoop = threadEventLoop(),
): LimitFactory {
  checkNames('defaultLimit', options, ['min', 'max', 'initial', 'maxWait']);
  const { min = Math.min(4, options.max ?? 4), max = Math.max(10_000, min), maxWait } = options;
  const initial = options.initial ?? Math.min(Math.max(8, min), max);
  const { create } = adaptive({ min, max, initial });
  const longestWait = maxWait === undefined ? Infinity : checkDuration('maxWait', maxWait);
  return { create, control: (context) => new PaceController(context, loop, longestWait) };
}
