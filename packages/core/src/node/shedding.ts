import { type Priority, priorities } from '../semaphore/priority.ts';
import { Controller } from './controller.ts';

/** Time constant of the arrival counts, in milliseconds. */
const TIME_CONSTANT_MS = 1000;

interface Class {
  readonly controller: Controller;
  /** Recent arrivals, decaying over time. */
  arrivals: number;
  /** Fraction of them that is shed. */
  part: number;
  /**
   * Accumulated fraction not yet shed. It spreads rejections evenly, where random choices would admit requests in
   * bursts.
   */
  carry: number;
}

/** The delay that each priority tolerates, relative to `normal`. */
export const toleranceOf: Readonly<Record<Priority, number>> = {
  critical: 8,
  high: 2,
  normal: 1,
  low: 0.5,
  sheddable: 0.25,
};

const ascending = [...priorities].reverse();

/** The conditions since the last update, in milliseconds except the pressure. */
interface Conditions {
  readonly delay: number;
  /** The target delay of `normal`. */
  readonly target: number;
  /** Minimum target of any priority. */
  readonly minTarget: number;
  readonly elapsed: number;
  /** Fraction of all requests to shed regardless of the delay, from 0 to 1. */
  readonly pressure: number;
}

/**
 * Distributes the shedding over the priorities, lowest first. Each priority has a controller with its own target: as
 * long as shedding the lower ones keeps the delay below its target, none of its own requests are shed.
 */
export class Shedding {
  readonly #classes = Object.fromEntries(
    priorities.map((name): [Priority, Class] => [
      name,
      { controller: new Controller(), arrivals: 0, part: 0, carry: 0 },
    ]),
  ) as Record<Priority, Class>;

  arrived(priority: Priority): void {
    this.#classes[priority].arrivals++;
  }

  update({ delay, target, minTarget, elapsed, pressure }: Conditions): void {
    let all = 0;
    for (const name of ascending) all += this.#classes[name].arrivals;
    const fade = Math.exp(-elapsed / TIME_CONSTANT_MS);
    let below = 0;
    for (const name of ascending) {
      const one = this.#classes[name];
      const { controller, arrivals } = one;
      controller.update(delay, Math.max(target * toleranceOf[name], minTarget), elapsed);
      const left = Math.max(controller.shed, pressure) * all - below;
      one.part = left <= 0 ? 0 : Math.min(1, left / arrivals);
      below += arrivals;
      one.arrivals *= fade;
    }
  }

  /** Whether to shed this request. */
  sheds(priority: Priority): boolean {
    const one = this.#classes[priority];
    one.carry += one.part;
    if (one.carry < 1) return false;
    one.carry--;
    return true;
  }
}
