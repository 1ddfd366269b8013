import { checkNames, checkSpan } from '../../checks.ts';
import type { Line } from '../line.ts';
import type { Order, OrderFactory } from './order.ts';

export interface CodelOptions {
  /**
   * Milliseconds, more than 0, that one may wait under overload. About the time in which a place comes free: with a limit of
   * 10 and 50 ms a request, that is 5. Default: 5.
   */
  target?: number | undefined;
  /** Milliseconds, more than 0, for which a line must not have been empty to count as overloaded. Default: 100. */
  interval?: number | undefined;
}

/**
 * First come, first served while it is calm. Once the line has not been empty for `interval`, the newest comes first, makes
 * room for itself in a full line, and who has waited for longer than `target` is rejected as `overloaded`: what is served is
 * then served soon, instead of everybody late. Nobody is shed for whom there is nobody to replace it.
 * After "Fail at Scale" (Maurer, 2015), whose controlled delay is a simple form of CoDel (Nichols and Jacobson, 2012).
 *
 * @throws HeadgateError where an option is unknown or makes no sense.
 */
export function codel(options: CodelOptions = {}): OrderFactory {
  checkNames('codel', options, ['target', 'interval']);
  const target = checkSpan('target', options.target ?? 5);
  const interval = checkSpan('interval', options.interval ?? 100);
  return { create: () => new Codel(target, interval) };
}

class Codel implements Order {
  constructor(
    private readonly target: number,
    private readonly interval: number,
  ) {}

  next(line: Line, now: number) {
    return this.#isOverloaded(line, now) ? line.tail : line.head;
  }

  spare(line: Line, now: number) {
    return this.#isOverloaded(line, now) ? line.head : undefined;
  }

  stale(line: Line, now: number) {
    const { head } = line;
    if (head === undefined || head === line.tail || !this.#isOverloaded(line, now))
      return undefined;
    return now - head.since > this.target ? head : undefined;
  }

  #isOverloaded({ length, busySince }: Line, now: number): boolean {
    return length > 0 && now - busySince >= this.interval;
  }
}
