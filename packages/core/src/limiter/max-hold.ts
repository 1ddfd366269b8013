import { type Clock, longestTimer, unref } from '../clock.ts';
import type { BasePermit } from './permit.ts';

/** Finds the permits that are held for too long, with one timer for all of them. */
export class MaxHold {
  /** The longest held first. */
  readonly #byAge = new Set<BasePermit>();
  #timer: unknown;

  constructor(
    private readonly clock: Clock,
    private readonly maxHold: number,
    private readonly leaked: (permit: BasePermit, held: number) => void,
  ) {}

  add(permit: BasePermit): void {
    this.#byAge.add(permit);
    this.#arm(this.maxHold);
  }

  remove(permit: BasePermit): void {
    this.#byAge.delete(permit);
  }

  #arm(delay: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.clock.setTimeout(() => this.#sweep(), Math.min(delay, longestTimer));
    unref(this.#timer);
  }

  /** Whoever is let in meanwhile arms no timer: those who were there before have less time left. */
  #sweep(): void {
    let left = 0;
    for (const permit of this.#byAge) {
      const held = this.clock.now() - permit.since;
      left = this.maxHold - held;
      if (left > 0) break;
      this.leaked(permit, held);
    }
    this.#timer = undefined;
    if (this.#byAge.size > 0) this.#arm(left);
  }
}
