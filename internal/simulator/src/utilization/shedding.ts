import type { Waiter } from '@headgate/core';
import { type Admission, noLimiter } from '../event-loop/simulate.ts';
import type { SimulatedLoop } from '../event-loop/simulated-loop.ts';

/** Milliseconds between two measurements of the utilization. */
const INTERVAL_MS = 1000;

/**
 * Load shedding by the utilization of the event loop: once a second, the fraction of the time in which the loop was busy is
 * measured. If it is above `maxUtilization`, all requests until the next measurement are rejected.
 */
export function sheddingAbove(maxUtilization: number) {
  return (loop: SimulatedLoop): Admission => {
    const limiter = noLimiter(loop);
    let [since, idle] = [0, 0];
    let isBusy = false;
    // At the next request instead of with a timer, which would never end.
    const measure = () => {
      const elapsed = loop.now() - since;
      if (elapsed < INTERVAL_MS) return;
      isBusy = 1 - (loop.idle() - idle) / elapsed > maxUtilization;
      [since, idle] = [loop.now(), loop.idle()];
    };
    return {
      request(waiter: Waiter) {
        measure();
        if (isBusy) waiter.rejected(rejection);
        else limiter.request(waiter);
      },
      withdraw: (waiter) => limiter.withdraw(waiter),
    };
  };
}

const rejection = {
  reason: 'overloaded',
  limitName: 'utilization',
  queued: 0,
  waited: 0,
  retryAfter: 1,
} as const;
