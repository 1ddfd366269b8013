import type { VirtualClock } from '@headgate/test-suite';
import { expect } from 'vitest';
import {
  type Permit,
  type Priority,
  type Rejection,
  type ShadowStats,
  Waiter,
} from '../../src/index.ts';

/** A request whose duration does not depend on the load. Times are in milliseconds. */
export interface Arrival {
  /** Time since the arrival before. */
  readonly gap: number;
  readonly duration: number;
  readonly weight: number;
  readonly key: string;
  readonly priority: Priority;
  readonly fairBy: string;
  readonly share: string | undefined;
  readonly queueTimeout: number | undefined;
}

/** What is requested of: a limiter or a gate. */
export interface World {
  readonly clock: VirtualClock;
  request(waiter: Waiter, arrival: Arrival): void;
}

class Request extends Waiter {
  verdict: string | undefined;

  constructor(
    private readonly clock: VirtualClock,
    private readonly duration: number,
  ) {
    super();
  }

  granted(permit: Permit): void {
    this.verdict = 'admitted';
    this.clock.setTimeout(() => permit.release(), this.duration);
  }

  rejected({ reason }: Rejection): void {
    this.verdict = reason;
  }
}

/** Sends the requests, and calls back after each. */
export function play(
  { clock, request }: World,
  arrivals: readonly Arrival[],
  after: () => void = () => {},
): Request[] {
  const requests = arrivals.map((arrival) => {
    clock.advance(arrival.gap);
    const waiter = new Request(clock, arrival.duration);
    waiter.priority = arrival.priority;
    waiter.fairBy = arrival.fairBy;
    waiter.queueTimeout = arrival.queueTimeout;
    request(waiter, arrival);
    after();
    return waiter;
  });
  for (let step = 0; step < 20; step++) {
    clock.advance(10);
    after();
  }
  clock.advance(10_000);
  after();
  return requests;
}

export type Counts = Pick<ShadowStats, 'admitted' | 'rejected'>;

/** Expects that the counts in shadow mode are always those of enforcement: so each request is admitted at the same time. */
export function expectSameCounts(
  enforced: World & { counts(): Counts },
  shadow: World & { counts(): Counts },
  arrivals: readonly Arrival[],
): void {
  const history = [enforced, shadow].map((world) => {
    const counts: Counts[] = [];
    play(world, arrivals, () => {
      const { admitted, rejected } = world.counts();
      counts.push({ admitted, rejected });
    });
    return counts;
  });
  expect(history[1]).toEqual(history[0]);
}
