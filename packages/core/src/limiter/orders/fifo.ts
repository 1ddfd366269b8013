import type { OrderFactory } from './order.ts';

/** First come, first served: what a line does that is told nothing else. */
export function fifo(): OrderFactory {
  return {
    create: () => ({
      next: ({ head }) => head,
      spare: () => undefined,
      stale: () => undefined,
    }),
  };
}
