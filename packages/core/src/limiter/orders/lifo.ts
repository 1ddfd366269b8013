import type { Order } from '../line.ts';
import type { Waiter } from '../waiter.ts';
import { FifoLine } from './fifo.ts';

/**
 * Last come, first served: under overload the newest is the most likely to be still waited for. In a full line the
 * oldest makes room.
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
