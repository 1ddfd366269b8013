import { type Priority, priorities } from '../limiter/priority.ts';
import { Controller } from './controller.ts';

/** Milliseconds in which what has come counts for a third. */
const memory = 1000;

interface Class {
  readonly controller: Controller;
  /** Of the delay that it bears, in parts of what `normal` does. */
  readonly patience: number;
  /** How many have come lately. */
  arrivals: number;
  /** What part of them is shed. */
  part: number;
  /** What part of one should have been shed by now: they are evenly spread, where chance would let them in in bunches. */
  owed: number;
}

/** How long a request of each class may have had to wait, in parts of `maxDelay`. */
export const patience: Readonly<Record<Priority, number>> = {
  critical: 8,
  high: 2,
  normal: 1,
  low: 0.5,
  sheddable: 0.25,
};

/**
 * Spreads what must be shed over the classes, the lowest first. Each has a controller with a target of its own: while those below
 * hold the delay where it does not trouble a class, nothing of that is shed.
 */
export class Shedding {
  readonly #classes = Object.fromEntries(
    priorities.map((name): [Priority, Class] => [
      name,
      { controller: new Controller(), patience: patience[name], arrivals: 0, part: 0, owed: 0 },
    ]),
  ) as Record<Priority, Class>;
  /** The lowest first. */
  readonly #ascending = priorities.map((name) => this.#classes[name]).reverse();

  arrived(priority: Priority): void {
    this.#classes[priority].arrivals++;
  }

  /**
   * The delay was so over the time since the last update; all in milliseconds.
   *
   * @param least The target is not below this.
   * @param pressure Which part of all must be shed in any case, from 0 to 1.
   */
  update(delay: number, target: number, least: number, elapsed: number, pressure: number): void {
    let all = 0;
    for (const { arrivals } of this.#ascending) all += arrivals;
    const fade = Math.exp(-elapsed / memory);
    let below = 0;
    for (const one of this.#ascending) {
      const { controller, arrivals } = one;
      controller.update(delay, Math.max(target * one.patience, least), elapsed);
      const left = Math.max(controller.shed, pressure) * all - below;
      one.part = left <= 0 ? 0 : Math.min(1, left / arrivals);
      below += arrivals;
      one.arrivals *= fade;
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
