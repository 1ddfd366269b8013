import {
  byPriority,
  type Clock,
  createLimiter,
  defaultLimit,
  fair,
  fifo,
  type LocalLimiter,
  lifo,
  type Order,
} from '@headgate/core';
import type { SimulatedLoop } from '@headgate/simulator/event-loop/simulated-loop';
import type { Settings } from '../settings.ts';

/** The servers that are compared. */
export const columns = ['bare server', 'fixed limit', 'default limit'] as const;

export type Column = (typeof columns)[number];

const orders: Readonly<Record<Settings['order'], () => Order>> = { fifo, lifo, byPriority, fair };

/** The limiter in front of a server, as a middleware with the same settings creates it. */
export function limiterOf(
  column: Column,
  { order, fixed, queueLimit, queueTimeout }: Settings,
  loop: SimulatedLoop,
  clock: Clock,
): LocalLimiter {
  if (column === 'bare server') return createLimiter({ limit: Number.MAX_SAFE_INTEGER, clock });
  const common = { order: orders[order](), clock };
  if (column === 'default limit')
    return createLimiter({ limit: defaultLimit({}, loop), ...common });
  return createLimiter({ limit: fixed, queueLimit, queueTimeout, ...common });
}
