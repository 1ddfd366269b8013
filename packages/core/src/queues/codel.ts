import { checkNames, checkSpan } from '../checks.ts';
import type { Clock } from '../clock.ts';
import { Order, type QueueContext } from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { byTimeAlone, FifoQueue } from './fifo.ts';

export interface CodelOptions {
  /**
   * Maximum wait of a request under overload, in milliseconds (above 0). Set it to about the time between two releases:
   * 5 ms with a limit of 10 and 50 ms per request. Default: 5.
   */
  target?: number | undefined;
  /** The queue counts as overloaded after it has not been empty for this many milliseconds (above 0). Default: 100. */
  interval?: number | undefined;
}

/**
 * FIFO at normal load. Once the queue has not been empty for `interval`, the server counts as overloaded: the newest
 * request is served first and displaces the oldest from a full queue, and requests that have waited longer than
 * `target` are rejected (`overloaded`). So some requests are served soon, instead of all of them late. The last waiter
 * is never shed. After "Fail at Scale" (Maurer, 2015), whose controlled delay is a simple form of CoDel (Nichols and
 * Jacobson, 2012).
 *
 * @throws HeadgateError for an unknown option, and for a value that is not allowed.
 */
export function codel(options: CodelOptions = {}): Order {
  checkNames('codel', options, ['target', 'interval']);
  const target = checkSpan('target', options.target ?? 5);
  const interval = checkSpan('interval', options.interval ?? 100);
  const create = ({ clock }: QueueContext) => new CodelQueue(clock, target, interval);
  return new Order(create, byTimeAlone);
}

class CodelQueue extends FifoQueue {
  /**
   * When the queue was last empty. The waiters' own times do not show it, since a waiter may have queued at an earlier
   * limit.
   */
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

  override displacedBy(): Waiter | undefined {
    return this.isOverloaded() ? this.oldest : undefined;
  }

  /** Always true: which waiter is next may change with time alone. */
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
