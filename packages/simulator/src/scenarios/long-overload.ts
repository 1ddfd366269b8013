import { adaptive, type Limit, type LimitFactory } from '@headgate/core';
import { gradient2 } from '../models/gradient2.ts';
import type { Figure, Scenario } from '../scenario.ts';

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

export const scenario: Scenario = {
  id: 'long-overload',
  name: 'Ten times the round trip for an hour, one sample a second: where the limit is',
  source:
    "a prototype of Netflix's Gradient2, whose measure is a slow average; adaptive() beside it",
  run() {
    const theirs = new Overload(gradient2);
    const ours = new Overload(adaptive({ initial: 60, max: 10_000 }));
    return {
      figures: [
        figure('Gradient2 after 2 minutes', '9', theirs.after(2 * minutes), 4, 40),
        figure('after 10', '294', theirs.after(8 * minutes), 150, 450),
        figure('after an hour', '2694', theirs.after(50 * minutes), 2000, 3500),
        figure('adaptive() before', undefined, ours.before, 60, 10_000),
        figure('after 2 minutes', undefined, ours.after(2 * minutes), 1, ours.before),
        figure('after an hour', undefined, ours.after(58 * minutes), 1, ours.before),
      ],
    };
  },
};

function figure(
  what: string,
  published: string | undefined,
  measured: number,
  ...expected: [number, number]
): Figure {
  return { what, ...(published !== undefined && { published }), measured, expected };
}
