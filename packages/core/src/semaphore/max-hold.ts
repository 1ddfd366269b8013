import { type Clock, dueTime, maxTimer, unref } from '../clock.ts';
import type { BasePermit } from './permit.ts';

/** Reports permits that are held for longer than `maxHold`, with one timer for all of them. */
export class MaxHold {
  /** Oldest permit first. */
  readonly #byAge = new Set<BasePermit>();
  #timer: unknown;
  /** When the timer is due. */
  #due = 0;

  constructor(
    private readonly clock: Clock,
    private readonly maxHold: number,
    private readonly leaked: (permit: BasePermit, held: number) => void,
  ) {}

  add(permit: BasePermit): void {
    this.#byAge.add(permit);
    if (this.#timer === undefined) this.#arm(permit.since + this.maxHold, permit.since);
  }

  remove(permit: BasePermit): void {
    this.#byAge.delete(permit);
  }

  /** Its time starts anew, so it expires last. */
  restart(permit: BasePermit): void {
    if (this.#byAge.delete(permit)) this.#byAge.add(permit);
  }

  #arm(deadline: number, now: number): void {
    this.#due = Math.min(deadline, now + maxTimer);
    this.#timer = this.clock.setTimeout(() => this.#sweep(), this.#due - now);
    unref(this.#timer);
  }

  /** Permits granted during the sweep set no timer, since the permits before them are due earlier. */
  #sweep(): void {
    const due = dueTime(this.clock, this.#due);
    let deadline = Infinity;
    for (const permit of this.#byAge) {
      const now = Math.max(due, this.clock.now());
      deadline = permit.since + this.maxHold;
      if (deadline > now) break;
      this.leaked(permit, now - permit.since);
    }
    this.#timer = undefined;
    if (this.#byAge.size > 0) this.#arm(deadline, Math.max(due, this.clock.now()));
  }
}
