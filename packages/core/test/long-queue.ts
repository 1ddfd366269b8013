import type { Order } from '../src/index.ts';
import { FifoQueue } from '../src/queues/fifo.ts';

class LongQueue extends FifoQueue {
  maxLength = Number.POSITIVE_INFINITY;
}

/** First in, first out, bounded by its own length rather than by time. */
export const long: Order = { create: () => new LongQueue() };
