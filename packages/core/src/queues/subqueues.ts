import type { AdmittedRequest } from '../semaphore/admitted-request.ts';
import type { Queue, QueueStats } from '../semaphore/queue.ts';
import { sumStats } from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';

/** Maximum number of consecutive grants to higher classes before a lower one gets a turn. */
export const MAX_IN_A_ROW = 9;

/** A queue of several subqueues, each with its own order. */
export abstract class Subqueues implements Queue {
  length = 0;
  weight = 0;

  /** The subqueues that may have waiters. */
  protected abstract readonly subqueues: Iterable<Queue>;
  abstract readonly next: Waiter | undefined;
  /** The subqueue whose youngest waiter is displaced first when the queue is full. */
  protected abstract readonly displaceFrom: Queue | undefined;
  /**
   * Whether the new request displaces a waiter of `displaceFrom`. If not, it displaces a waiter of its own subqueue, if
   * any.
   */
  protected abstract displaces(newWaiter: Waiter, own: Queue, displaceFrom: Queue): boolean;
  /** The subqueue in which the request is queued, or would be enqueued. */
  protected abstract subqueueOf(request: AdmittedRequest): Queue;

  get oldest(): Waiter | undefined {
    return oldestOf(this.subqueues);
  }

  get youngest(): Waiter | undefined {
    return this.displaceFrom?.youngest;
  }

  stats(): QueueStats {
    return sumStats(this.subqueues);
  }

  displacedBy(newWaiter: Waiter): Waiter | undefined {
    const { displaceFrom } = this;
    const own = this.subqueueOf(newWaiter);
    const isOther = displaceFrom !== undefined && this.displaces(newWaiter, own, displaceFrom);
    return isOther ? displaceFrom.youngest : own.displacedBy?.(newWaiter);
  }

  /** Always true: any waiter that joins or leaves may change which waiter is next. */
  mayBeNext(_waiter: Waiter): boolean {
    return true;
  }

  charge(admitted: AdmittedRequest, weight: number): void {
    this.subqueueOf(admitted).charge?.(admitted, weight);
  }

  insert(waiter: Waiter): void {
    this.subqueueOf(waiter).insert(waiter);
    this.length++;
    this.weight += waiter.weight;
  }

  remove(waiter: Waiter, isGranted: boolean): void {
    this.subqueueOf(waiter).remove(waiter, isGranted);
    this.length--;
    this.weight -= waiter.weight;
  }
}

/** The waiter that arrived first in any of the subqueues. */
export function oldestOf(subqueues: Iterable<Queue>): Waiter | undefined {
  let oldest: Waiter | undefined;
  for (const { oldest: own } of subqueues) {
    if (own !== undefined && own.arrival < (oldest?.arrival ?? Infinity)) oldest = own;
  }
  return oldest;
}
