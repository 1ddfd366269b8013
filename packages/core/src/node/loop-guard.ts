import type { Guard } from '../gate/guard.ts';
import type { Priority } from '../limiter/priority.ts';
import type { Accepts } from './accepts.ts';
import { Cost } from './cost.ts';
import type { EventLoop } from './event-loop.ts';
import { Shedding, toleranceOf } from './shedding.ts';
import { Turn } from './turn.ts';

/** What `eventLoopGuard` has checked and completed. */
export interface LoopGuardSettings {
  readonly name: string;
  readonly maxDelay: number;
  readonly loop: EventLoop;
  readonly accepts: Accepts;
  /** Which part of the requests must be shed for want of memory, from 0 to 1. */
  readonly pressure: () => number;
}

/** Milliseconds between updates of what is slow to change. */
const interval = 50;

/** Asks the turn for each request, and the controller for what the turn does not show. */
export class LoopGuard implements Guard {
  readonly name: string;
  readonly #turn: Turn;
  readonly #cost: Cost;
  readonly #shedding = new Shedding();
  #updatedAt: number;

  constructor(private readonly settings: LoopGuardSettings) {
    const { name, loop } = settings;
    this.name = name;
    this.#turn = new Turn(loop);
    this.#cost = new Cost(loop);
    this.#updatedAt = loop.now();
  }

  admits(priority: Priority): boolean {
    const now = this.settings.loop.now();
    this.#turn.note(now);
    this.#shedding.arrived(priority);
    if (now - this.#updatedAt >= interval) this.#update(now);
    if (this.#shedding.sheds(priority) || !this.#isInTime(priority, now)) return false;
    this.#turn.admit();
    this.#cost.admit(now);
    return true;
  }

  #isInTime(priority: Priority, now: number): boolean {
    const { maxDelay, accepts } = this.settings;
    const longest = toleranceOf[priority] * maxDelay;
    if (this.#cost.ahead(now) > longest) return false;
    // It has waited for some part of that, at the mean for half.
    if (accepts.longestWait() / 2 > longest) return false;
    const { admitted, before, age } = this.#turn;
    // The first of a turn is never late for it; or nothing would ever run.
    return admitted === 0 || age + before / 2 <= longest;
  }

  #update(now: number): void {
    const { maxDelay, pressure } = this.settings;
    const elapsed = now - this.#updatedAt;
    this.#updatedAt = now;
    this.#cost.update(elapsed);
    this.#shedding.update({
      delay: this.#turn.takeMeanLength(elapsed),
      target: maxDelay,
      // No turn is shorter than a request, so no target may be below two.
      least: 2 * this.#cost.each,
      elapsed,
      pressure: pressure(),
    });
  }
}
