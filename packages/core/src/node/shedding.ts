import { type Priority, priorities } from '../limiter/priority.ts';
import { Controller } from './controller.ts';

/** Milliseconds after which a measurement counts for about a third. */
const timeConstant = 1000;

interface Class {
  readonly controller: Controller;
  /** How many have come lately. */
  arrivals: number;
  /** What part of them is shed. */
  part: number;
  /** What part of one should have been shed by now: they are evenly spread, where chance would let them in in bunches. */
  owed: number;
}

/** What a class bears of the delay, in parts of what `normal` does. */
export const toleranceOf: Readonly<Record<Priority, number>> = {
  critical: 8,
  high: 2,
  normal: 1,
  low: 0.5,
  sheddable: 0.25,
};

const ascending = [...priorities].reverse();

/** How it went since the last update; all in milliseconds but the pressure. */
interface Conditions {
  readonly delay: number;
  /** What `normal` bears of it. */
  readonly target: number;
  /** No class has a target below this. */
  readonly least: number;
  readonly elapsed: number;
  /** Which part of all must be shed in any case, from 0 to 1. */
  readonly pressure: number;
}

/**
 * Spreads what must be shed over the classes, the lowest first. Each has a controller with a target of its own: while those below
 * hold the delay where it does not trouble a class, nothing of that is shed.
 */
export class Shedding {
  readonly #classes = Object.fromEntries(
    priorities.map((name): [Priority, Class] => [
      name,
      { controller: new Controller(), arrivals: 0, part: 0, owed: 0 },
    ]),
  ) as Record<Priority, Class>;

  arrived(priority: Priority): void {
    this.#classes[priority].arrivals++;
  }

  update({ delay, target, least, elapsed, pressure }: Conditions): void {
    let all = 0;
    for (const name of ascending) all += this.#classes[name].arrivals;
    const fade = Math.exp(-elapsed / timeConstant);
    let below = 0;
    for (const name of ascending) {
      const one = this.#classes[name];
      const { controller, arrivals } = one;
      controller.update(delay, Math.max(target * toleranceOf[name], least), elapsed);
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
