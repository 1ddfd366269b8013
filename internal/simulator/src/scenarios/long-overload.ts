import type { Limit, LimitFactory } from '@headgate/core';
import { gradient2 } from '../models/gradient2.ts';
import { figure, type Scenario } from '../scenario.ts';

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

/** When the limit is read: the label, the minutes since the previous reading, and the published and expected values. */
const stages: readonly (readonly [string, number, string, Range])[] = [
  ['after 2 minutes', 2, '9', [4, 40]],
  ['after 10', 8, '294', [150, 450]],
  ['after an hour', 50, '2694', [2000, 3500]],
];

export const scenario: Scenario = {
  id: 'long-overload',
  name: 'Gradient2, ten times the round trip for an hour, one sample a second: the limit',
  run() {
    const overload = new Overload(gradient2);
    const later = stages.map(([what, minutesLater, published, expected]) => ({
      ...figure(what, overload.after(minutesLater * minutes), expected),
      published,
    }));
    return { figures: [figure('before', overload.before, [60, 10_000]), ...later] };
  },
};
