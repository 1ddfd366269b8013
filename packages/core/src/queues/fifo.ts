import { Order, type OrderOption, type Queue } from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';

/** The request options that have no effect in an order that depends only on time. */
const byTimeAlone: readonly OrderOption[] = ['priority', 'fairBy'];

/** First in, first out: the default order. */
export function fifo(): Order {
  return new Order(() => new FifoQueue(true), byTimeAlone);
}

/**
 * A queue in order of arrival at the gate. The waiters themselves are linked, so enqueueing at the end and removing
 * from anywhere take constant time. Only a waiter that comes from an earlier limit of its gate is inserted further
 * ahead: if it joined at the end, the last waiters of the queue would hold permits of narrow limits.
 */
export class FifoQueue implements Queue {
  oldest: Waiter | undefined = undefined;
  youngest: Waiter | undefined = undefined;
  length = 0;
  weight = 0;

  constructor(readonly servesInOrder = false) {}

  get next(): Waiter | undefined {
    return this.oldest;
  }

  mayBeNext(waiter: Waiter): boolean {
    return this.oldest === waiter;
  }

  insert(waiter: Waiter): void {
    let ahead = this.youngest;
    while (ahead !== undefined && ahead.arrival > waiter.arrival) ahead = ahead.ahead;
    const behind = ahead === undefined ? this.oldest : ahead.behind;
    waiter.ahead = ahead;
    waiter.behind = behind;
    if (ahead === undefined) this.oldest = waiter;
    else ahead.behind = waiter;
    if (behind === undefined) this.youngest = waiter;
    else behind.ahead = waiter;
    this.length++;
    this.weight += waiter.weight;
  }

  remove(waiter: Waiter): void {
    const { ahead, behind } = waiter;
    if (ahead === undefined) this.oldest = behind;
    else ahead.behind = behind;
    if (behind === undefined) this.youngest = ahead;
    else behind.ahead = ahead;
    waiter.ahead = undefined;
    waiter.behind = undefined;
    this.length--;
    this.weight -= waiter.weight;
  }
}

/**
 * Last in, first out: under overload, the client of the newest request is the most likely to be still waiting. In a
 * full queue, the oldest request is displaced and rejected (`full`).
 */
export function lifo(): Order {
  return new Order(() => new LifoQueue(), byTimeAlone);
}

class LifoQueue extends FifoQueue {
  override get next(): Waiter | undefined {
    return this.youngest;
  }

  displacedBy(): Waiter | undefined {
    return this.oldest;
  }

  override mayBeNext(waiter: Waiter): boolean {
    return this.youngest === waiter;
  }
}
