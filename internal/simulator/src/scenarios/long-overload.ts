import type { Limit, LimitFactory } from '@headgate/core';
import { gradient2 } from '../models/gradient2.ts';
import { figure, type Scenario } from '../scenario.ts';

/** Seconds per minute. */
const minutes = 60;

/** A fully used limit. Work takes 100 ms for a minute, and then ten times as long, whatever the limit. */
class Overload {
  readonly #limit: Limit;
  #now = 0;
  /** The limit before the overload. */
  readonly before: number;

  constructor(factory: LimitFactory) {
    this.#limit = factory.create();
    this.#feed(100, minutes);
    this.before = this.#limit.limit;
  }

  /** Returns the limit after further seconds of overload. */
  after(seconds: number): number {
    this.#feed(1000, seconds);
    return this.#limit.limit;
  }

  #feed(rtt: number, seconds: number): void {
    for (let second = 0; second < seconds; second++) {
      this.#now += 1000;
      const { limit: inflight } = this.#limit;
      this.#limit.sample({
        rtt,
        inflight,
        outcome: 'ok',
        now: this.#now,
        weight: 1,
        kind: undefined,
      });
    }
  }
}

/** When the limit is read, in minutes since the previous reading, with the published and the expected value. */
const readings = [
  { label: 'after 2 minutes', later: 2, published: '9', expected: [4, 40] },
  { label: 'after 10', later: 8, published: '294', expected: [150, 450] },
  { label: 'after an hour', later: 50, published: '2694', expected: [2000, 3500] },
] as const;

export const scenario: Scenario = {
  id: 'long-overload',
  name: 'Gradient2, ten times the round trip for an hour, one sample a second: the limit',
  run() {
    const overload = new Overload(gradient2);
    const figures = readings.map(({ label, later, published, expected }) => ({
      ...figure(label, overload.after(later * minutes), expected),
      published,
    }));
    return { figures: [figure('before', overload.before, [60, 10_000]), ...figures] };
  },
};
