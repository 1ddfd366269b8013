import { checkNames, checkSpan } from '../../checks.ts';
import type { Clock } from '../../clock.ts';
import type { Order } from '../line.ts';
import type { Waiter } from '../waiter.ts';
import { FifoLine } from './fifo.ts';

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
export function codel(options: CodelOptions = {}): Order {
  checkNames('codel', options, ['target', 'interval']);
  const target = checkSpan('target', options.target ?? 5);
  const interval = checkSpan('interval', options.interval ?? 100);
  return { create: ({ clock }) => new CodelLine(clock, target, interval) };
}

class CodelLine extends FifoLine {
  /** Since when it has not been empty: whoever comes may have waited elsewhere for long. */
  #busySince = 0;

  constructor(
    private readonly clock: Clock,
    private readonly target: number,
    private readonly interval: number,
  ) {
    super();
  }

  override get next(): Waiter | undefined {
    return this.isOverloaded() ? this.youngest : this.oldest;
  }

  override get stale(): Waiter | undefined {
    const { oldest, youngest, target } = this;
    if (oldest === youngest || oldest === undefined || !this.isOverloaded()) return undefined;
    return this.clock.now() - oldest.since > target ? oldest : undefined;
  }

  override spare(): Waiter | undefined {
    return this.isOverloaded() ? this.oldest : undefined;
  }

  /** The time alone may have changed whose turn it is. */
  override mayBeNext(): boolean {
    return true;
  }

  override insert(waiter: Waiter): void {
    if (this.length === 0) this.#busySince = this.clock.now();
    super.insert(waiter);
  }

  private isOverloaded(): boolean {
    return this.length > 0 && this.clock.now() - this.#busySince >= this.interval;
  }
}
