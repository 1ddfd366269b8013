import { gradient, type Limit } from '@headgate/core';
import type { Scenario } from '../scenario.ts';

const shortest = 100;

/** Feeds a limit round trips that do not depend on it, and tells where it comes to rest. */
function restOf(limit: Limit, rtt: number): number {
  const feed = (time: number, count: number) => {
    for (let sample = 0; sample < count; sample++) {
      limit.sample({ rtt: time, inflight: limit.limit, outcome: 'ok', now: 0, kind: undefined });
    }
  };
  feed(shortest, 50);
  feed(rtt, 50_000);
  return limit.limit;
}

export const scenario: Scenario = {
  id: 'fixed-points',
  name: 'Where the gradient comes to rest, at L = g ÷ (1 − g)²',
  source: 'Envoy, adaptive concurrency filter: its formula',
  run: () => ({
    figures: [0.5, 0.8, 0.9].map((ratio) => {
      const point = ratio / (1 - ratio) ** 2;
      const limit = gradient({ min: 1, max: 10_000, initial: 10 }).create(Math.random);
      return {
        what: `a round trip ${(1.25 / ratio).toFixed(2)} times the shortest`,
        published: point.toFixed(1),
        measured: restOf(limit, (1.25 * shortest) / ratio),
        expected: [point * 0.98, point * 1.02] as const,
      };
    }),
  }),
};
