import type { OrderFactory } from './order.ts';

/**
 * Last come, first served: under overload the newest is the most likely to be still waited for. In a full line the
 * oldest makes room.
 */
export function lifo(): OrderFactory {
  return {
    create: () => ({
      next: ({ tail }) => tail,
      spare: ({ head }) => head,
      stale: () => undefined,
    }),
  };
}
