import { gradient, type Limit } from '@headgate/core';
import { gradient2, memory } from '../models/gradient2.ts';
import type { Scenario } from '../scenario.ts';

const shortest = 100;

/** The parts of it that a limit is to keep of itself. */
const ratios = [0.5, 0.8, 0.9];

/** A round trip that does not depend on the limit, which is all in use. */
function feed(limit: Limit, rtt: number): void {
  limit.sample({ rtt, inflight: limit.limit, outcome: 'ok', now: 0, kind: undefined });
}

/** Envoy's, whose measure is the shortest round trip. */
function restOfGradient(ratio: number): number {
  const limit = gradient({ min: 1, max: 10_000, initial: 10 }).create(Math.random);
  for (let sample = 0; sample < 50; sample++) feed(limit, shortest);
  for (let sample = 0; sample < 50_000; sample++) feed(limit, (1.25 * shortest) / ratio);
  return limit.limit;
}

/** Netflix's, whose measure is an average: it is led by round trips that grow with it. */
function restOfGradient2(ratio: number): number {
  const limit = gradient2.create(Math.random);
  let average = shortest;
  feed(limit, shortest);
  for (let sample = 0; sample < 1000; sample++) {
    const rtt = (1.5 * average * (1 - 1 / memory)) / (ratio - 1.5 / memory);
    average += (rtt - average) / memory;
    feed(limit, rtt);
  }
  return limit.limit;
}

function figure(what: string, point: number, measured: number) {
  const expected = [point * 0.98, point * 1.02] as const;
  return { what, published: point.toFixed(1), measured, expected };
}

export const scenario: Scenario = {
  id: 'fixed-points',
  name: 'Fixed points of gradients, at g ÷ (1 − g)² and at 4 ÷ (1 − g)',
  source: "Envoy's adaptive concurrency filter and Netflix's Gradient2: their formulas",
  run: () => ({
    figures: [
      ...ratios.map((ratio) =>
        figure(`Envoy, g = ${ratio}`, ratio / (1 - ratio) ** 2, restOfGradient(ratio)),
      ),
      ...ratios.map((ratio) =>
        figure(`Gradient2, g = ${ratio}`, 4 / (1 - ratio), restOfGradient2(ratio)),
      ),
    ],
  }),
};
