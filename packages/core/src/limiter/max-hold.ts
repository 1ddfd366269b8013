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

  #sweep(): void {
    this.#timer = undefined;
    for (const permit of this.#byAge) {
      const held = this.clock.now() - permit.since;
      if (held < this.maxHold) return this.#arm(this.maxHold - held);
      this.leaked(permit, held);
    }
  }
}
