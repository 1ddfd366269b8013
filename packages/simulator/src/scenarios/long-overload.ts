import { adaptive, type Limit, type LimitFactory } from '@headgate/core';
import { gradient2 } from '../models/gradient2.ts';
import { type Figure, figure, type Scenario } from '../scenario.ts';

/** In seconds. */
const minutes = 60;

/** A limit that is fully used, by work that takes 100 ms for a minute and then ten times as long, whatever the limit. */
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

function figures(
  name: string,
  overload: Overload,
  grown: readonly [Range, Range, Range],
): Figure[] {
  return [
    figure('before', overload.before, [60, 10_000], name),
    figure('after 2 minutes', overload.after(2 * minutes), grown[0], name),
    figure('after 10', overload.after(8 * minutes), grown[1], name),
    figure('after an hour', overload.after(50 * minutes), grown[2], name),
  ];
}

export const scenario: Scenario = {
  id: 'long-overload',
  name: 'Ten times the round trip for an hour, one sample a second: the limit',
  run() {
    const theirs = new Overload(gradient2);
    const ours = new Overload(adaptive({ initial: 60, max: 10_000 }));
    const most: Range = [1, ours.before];
    return {
      figures: [
        ...figures('Gradient2', theirs, [
          [4, 40],
          [150, 450],
          [2000, 3500],
        ]),
        ...figures('adaptive()', ours, [most, most, most]),
      ],
    };
  },
};
