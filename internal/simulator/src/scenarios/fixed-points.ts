import { gradient, type Limit } from '@headgate/core';
import { gradient2, longSamples } from '../models/gradient2.ts';
import type { Scenario } from '../scenario.ts';

const minRtt = 100;

/** The ratios g of the baseline to the round trip. */
const ratios = [0.5, 0.8, 0.9];

/** Feeds a round trip that does not depend on the limit, with the limit fully used. */
function feed(limit: Limit, rtt: number): void {
  limit.sample({ rtt, inflight: limit.limit, outcome: 'ok', now: 0, weight: 1, kind: undefined });
}

/** Envoy's gradient, whose baseline is the minimum round trip. */
function fixedPointOfGradient(ratio: number): number {
  const limit = gradient({ min: 1, max: 10_000, initial: 10 }).create(Math.random);
  for (let sample = 0; sample < 50; sample++) feed(limit, minRtt);
  for (let sample = 0; sample < 50_000; sample++) feed(limit, (1.25 * minRtt) / ratio);
  return limit.limit;
}

/** Netflix's Gradient2, whose baseline is an average: its round trips must grow with that average to keep the ratio. */
function fixedPointOfGradient2(ratio: number): number {
  const limit = gradient2.create(Math.random);
  let average = minRtt;
  feed(limit, minRtt);
  for (let sample = 0; sample < 1000; sample++) {
    const rtt = (1.5 * average * (1 - 1 / longSamples)) / (ratio - 1.5 / longSamples);
    average += (rtt - average) / longSamples;
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
  name: 'Fixed points of gradients: g ÷ (1 − g)² and 4 ÷ (1 − g)',
  source: "Envoy's adaptive concurrency filter and Netflix's Gradient2: their formulas",
  run: () => ({
    figures: [
      ...ratios.map((ratio) =>
        figure(`Envoy, g = ${ratio}`, ratio / (1 - ratio) ** 2, fixedPointOfGradient(ratio)),
      ),
      ...ratios.map((ratio) =>
        figure(`Gradient2, g = ${ratio}`, 4 / (1 - ratio), fixedPointOfGradient2(ratio)),
      ),
    ],
  }),
};
