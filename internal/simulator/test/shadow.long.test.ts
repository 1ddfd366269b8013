import { createLimiter, defaultLimit, type LocalLimiter } from '@headgate/core';
import { expect, test } from 'vitest';
import { serverWith } from '../src/ablation/situations.ts';
import { kinds, workload } from '../src/event-loop/named-workload.ts';
import { simulate } from '../src/event-loop/simulate.ts';
import type { SimulatedLoop } from '../src/event-loop/simulated-loop.ts';
import { type HandlerKind, type Job, jobsOf, type Workload } from '../src/event-loop/workload.ts';

type Kind = 'rejected' | 'wouldReject';

/** The fraction of the requests that a default limit rejects, or would reject in shadow mode. */
function shareOf(kind: Kind, server: Workload, jobs: readonly Job[]): number {
  let limiter: LocalLimiter | undefined;
  const make = (loop: SimulatedLoop) => {
    limiter = createLimiter({ limit: defaultLimit({}, loop), clock: loop });
    if (kind === 'wouldReject') limiter.shadow();
    return limiter;
  };
  const outcomes = simulate(server, jobs, make);
  if (kind === 'wouldReject') expect(outcomes.every(({ answered }) => answered)).toBe(true);
  const counts = Object.values(limiter?.stats()[kind] ?? {});
  return counts.reduce((sum, count) => sum + count) / jobs.length;
}

/** What an enforcing limit rejects, and what one in shadow mode counts. */
function sharesOf(server: Workload, jobs = jobsOf(server)): [enforced: number, shadow: number] {
  return [shareOf('rejected', server, jobs), shareOf('wouldReject', server, jobs)];
}

const serverOf = (kind: HandlerKind, mean: number, load: number, connects = false) => ({
  ...workload({ kind, mean, load, connects, workers: 10, distribution: 'lognormal 0.3' }),
  seconds: 20,
});

const meansOf = (kind: HandlerKind) => (kind === 'pool' ? [5, 35, 200] : [3, 10, 25]);

/** The shares of servers with these handlers, with and without a new connection for each request. */
function sharesAt(load: number, kind: HandlerKind) {
  return meansOf(kind).flatMap((mean) =>
    [false, true].map((connects) => sharesOf(serverOf(kind, mean, load, connects))),
  );
}

test.each(kinds)(
  'at half of the capacity, shadow mode counts what a default limit rejects, within 0.5 %: %s handlers',
  (kind) => {
    for (const [enforced, shadow] of sharesAt(0.5, kind))
      expect(Math.abs(enforced - shadow)).toBeLessThan(0.005);
  },
);

test.each(kinds)(
  'at 0.8 of the capacity, it counts no fewer rejections, within 2.5 %: %s handlers',
  (kind) => {
    for (const [enforced, shadow] of sharesAt(0.8, kind))
      expect(shadow).toBeGreaterThan(enforced - 0.025);
  },
);

test.each([
  [30, 10, 0.15],
  [50, 5, 0.45],
  [100, 20, 0.5],
])(
  'it counts what a default limit rejects since other work blocks the loop for %i ms every %i ms, within 2 %',
  (busy, idle, least) => {
    const server = serverWith({ from: 5000, busy, idle }, 'pool', 20, 100);
    const [enforced, shadow] = sharesOf(server);
    expect(enforced).toBeGreaterThan(least);
    expect(Math.abs(enforced - shadow)).toBeLessThan(0.02);
  },
);

test.each([
  [50, 0.02],
  [100, 0.1],
  [300, 0.3],
])(
  'it counts what a default limit rejects of %i requests of 1 s that arrive at once, within 0.5 %',
  (size, least) => {
    const server = { ...serverOf('pool', 1000, 1), workers: 10_000 };
    const few = Array.from({ length: 60 }, (_, index): Job => ({ at: 333 * index, work: 1000 }));
    const burst = Array.from(
      { length: size },
      (_, index): Job => ({ at: 21_000 + index / 10, work: 1000 }),
    );
    const [enforced, shadow] = sharesOf(server, [...few, ...burst]);
    expect(enforced).toBeGreaterThan(least);
    expect(Math.abs(enforced - shadow)).toBeLessThan(0.005);
  },
);

test.each(['sync', 'timer', 'query', 'pool'] as const)(
  'at twice the capacity, it counts too many rejections: %s handlers on open connections',
  (kind) => {
    const [enforced, shadow] = sharesOf(serverOf(kind, 10, 2));
    expect(enforced).toBeGreaterThan(0.4);
    expect(shadow).toBeGreaterThan(enforced);
  },
);
