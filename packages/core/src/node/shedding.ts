import { type Priority, priorities } from '../limiter/priority.ts';

/** Milliseconds in which what has come counts for a third. */
const memory = 1000;

interface Class {
  /** How many have come lately. */
  arrivals: number;
  /** What part of them is shed. */
  part: number;
  /** What part of one should have been shed by now: so they are evenly spread, where chance would let them in in bunches. */
  owed: number;
}

/** Spreads what must be shed over the classes: all of the lowest first. */
export class Shedding {
  readonly #classes = Object.fromEntries(
    priorities.map((name) => [name, { arrivals: 0, part: 0, owed: 0 }]),
  ) as Record<Priority, Class>;
  /** The lowest first. */
  readonly #ascending = Object.values(this.#classes).reverse();

  /** A request has come. */
  note(priority: Priority): void {
    this.#classes[priority].arrivals++;
  }

  /** This part of all, from 0 to 1, must be shed from now on; so long after the last time, in milliseconds. */
  update(part: number, elapsed: number): void {
    let left = 0;
    for (const { arrivals } of this.#ascending) left += part * arrivals;
    const decay = Math.exp(-elapsed / memory);
    for (const one of this.#ascending) {
      one.part = left <= 0 ? 0 : Math.min(1, left / one.arrivals);
      left -= one.arrivals;
      one.arrivals *= decay;
    }
  }

  /** Whether this one is to be shed. */
  sheds(priority: Priority): boolean {
    const one = this.#classes[priority];
    one.owed += one.part;
    if (one.owed < 1) return false;
    one.owed--;
    return true;
  }
}
