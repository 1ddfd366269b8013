import type { Order } from '../line.ts';
import type { Waiter } from '../waiter.ts';
import { FifoLine } from './fifo.ts';

/**
 * Last in, first out: under overload, the client of the newest request is the most likely to be still waiting. In a
 * full queue, the oldest request is displaced and rejected (`full`).
 */
export function lifo(): Order {
  return { create: () => new LifoLine() };
}

class LifoLine extends FifoLine {
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
