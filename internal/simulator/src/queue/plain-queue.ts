import TinyQueue from 'tinyqueue';
import { Simulation } from '../simulation.ts';
import type { Arrival } from './arrivals.ts';

export interface PlainQueue {
  readonly limit: number;
  /** Maximum wait in milliseconds. */
  readonly timeout: number;
  /** Lower classes are served first. Default: a single class. */
  readonly classOf?: (arrival: Arrival) => number;
}

/**
 * The reference: a FIFO queue for each class, without a maximum length. It rejects no request on arrival, and skips
 * waiters past their timeout. Clients do not leave. Returns the arrivals that it serves.
 */
export function servedByPlainQueue(
  arrivals: readonly Arrival[],
  { limit, timeout, classOf = () => 0 }: PlainQueue,
): Set<Arrival> {
  const simulation = new Simulation();
  const served = new Set<Arrival>();
  const queue = new TinyQueue<Arrival>(
    [],
    (one, other) => classOf(one) - classOf(other) || one.at - other.at,
  );
  let inflight = 0;

  function serve(arrival: Arrival): void {
    inflight++;
    served.add(arrival);
    simulation.setTimeout(() => {
      inflight--;
      serveNext();
    }, arrival.duration);
  }

  function serveNext(): void {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (simulation.now() - next.at < timeout) return serve(next);
    }
  }

  for (const arrival of arrivals) {
    simulation.setTimeout(() => {
      if (inflight < limit) serve(arrival);
      else queue.push(arrival);
    }, arrival.at);
  }
  simulation.runUntil(Infinity);
  return served;
}
