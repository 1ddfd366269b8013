import { adaptive, type Limit, type LimitFactory } from '@headgate/core';
import { gradient2 } from '../models/gradient2.ts';
import { type Figure, figure, type Scenario } from '../scenario.ts';

/** Seconds per minute. */
const minutes = 60;

/** A fully used limit whose work takes 100 ms for a minute and then ten times as long, whatever the limit. */
class Overload {
  readonly #limit: Limit;
  #now = 0;

  constructor(factory: LimitFactory) {
    this.#limit = factory.create(() => 0.5);
    this.#feed(100, minutes);
    this.before = this.#limit.limit;
  }

  readonly before: number;

  after(time: number): number {
    this.#feed(1000, time);
    return this.#limit.limit;
  }

  #feed(rtt: number, time: number): void {
    for (let second = 0; second < time; second++) {
      this.#now += 1000;
      const { limit: inflight } = this.#limit;
      this.#limit.sample({ rtt, inflight, outcome: 'ok', now: this.#now, kind: undefined });
    }
  }
}

type Range = readonly [number, number];

/** When the limit is read: the label, and the minutes since the previous reading. */
const stages = [
  ['after 2 minutes', 2],
  ['after 10', 8],
  ['after an hour', 50],
] as const;

function figures(
  name: string,
  overload: Overload,
  ranges: readonly Range[],
  published: readonly string[] = [],
): Figure[] {
  return [
    figure('before', overload.before, [60, 10_000], name),
    ...stages.map(([what, later], index) => ({
      ...figure(what, overload.after(later * minutes), ranges[index] as Range, name),
      published: published[index],
    })),
  ];
}

export const scenario: Scenario = {
  id: 'long-overload',
  name: 'Ten times the round trip for an hour, one sample a second: the limit',
  run() {
    const theirs = new Overload(gradient2);
    const ours = new Overload(adaptive({ initial: 60, max: 10_000 }));
    const grown: Range[] = [
      [4, 40],
      [150, 450],
      [2000, 3500],
    ];
    const noGrowth: Range = [1, ours.before];
    return {
      figures: [
        ...figures('Gradient2', theirs, grown, ['9', '294', '2694']),
        ...figures('adaptive()', ours, [noGrowth, noGrowth, noGrowth]),
      ],
    };
  },
};
