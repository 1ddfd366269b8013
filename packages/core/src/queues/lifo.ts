import type { Order } from '../semaphore/queue.ts';
import type { Waiter } from '../semaphore/waiter.ts';
import { FifoQueue } from './fifo.ts';

/**
 * Last in, first out: under overload, the client of the newest request is the most likely to be still waiting. In a
 * full queue, the oldest request is displaced and rejected (`full`).
 */
export function lifo(): Order {
  return { create: () => new LifoQueue() };
}

class LifoQueue extends FifoQueue {
  override get next(): Waiter | undefined {
    return this.youngest;
  }

  override spare(): Waiter | undefined {
    return this.oldest;
  }

  override mayBeNext(waiter: Waiter): boolean {
    return this.youngest === waiter;
  }
}
