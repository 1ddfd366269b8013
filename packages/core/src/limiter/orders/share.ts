import type { Line, Site } from '../line.ts';
import type { Waiter } from '../waiter.ts';

/** Parts are products of fractions: 0.07 of 100 comes to a little more than 7. */
export const rounding = 1e-9;

/** Limits' worth of weight that a share may be behind its part, and catch up on. */
const maxCredit = 2;

/** A part of a limit: its waiters, and the weight that it holds. */
export class Share {
  /** Weight in flight. */
  held = 0;
  /**
   * The weight that the limit must have admitted in all before the share may have its next waiter that is heavier than its
   * part: over time it has its part of all weight admitted, as in start-time fair queueing.
   */
  #due = 0;

  constructor(
    readonly line: Line,
    /** Of the limit; 0 for waiters without a share. */
    readonly part: number,
    private readonly site: Site,
  ) {}

  get next(): Waiter | undefined {
    return this.line.next;
  }

  /** How much more than its part it holds and waits for; below 0, how much it may still want. */
  get beyond(): number {
    return this.held + this.line.weight - this.part * this.site.limit;
  }

  /** Whether the next waiter may have room without going beyond the part, rounded up; a heavier one when it is due. */
  isOwed(admitted: number): boolean {
    const { next, held } = this;
    if (next === undefined || held >= this.#size) return false;
    if (this.isTooHeavy(next)) return held === 0 && admitted >= this.#due;
    return held + next.weight <= Math.ceil(this.#size);
  }

  /** Whether it holds nothing, and its next waiter is heavier than the part and not due yet. */
  isPaying(admitted: number): boolean {
    const { next, held, part } = this;
    return (
      next !== undefined && part > 0 && held === 0 && this.isTooHeavy(next) && admitted < this.#due
    );
  }

  /** Whether it alone exceeds the part. */
  isTooHeavy({ weight }: Waiter): boolean {
    return weight > Math.ceil(this.#size);
  }

  /** A waiter begins to wait. A share without demand is owed nothing afterwards. */
  insert(admitted: number): void {
    if (this.line.length === 0 && this.held === 0) this.#due = Math.max(this.#due, admitted);
  }

  /** A waiter has been granted. */
  charge(waiter: Waiter, admitted: number): void {
    if (this.part === 0 || !this.isTooHeavy(waiter)) return;
    const { part, site } = this;
    const least = admitted - (maxCredit * site.limit) / part;
    this.#due = Math.min(Math.max(this.#due, least), admitted) + waiter.weight / part;
  }

  get #size(): number {
    return this.part * this.site.limit - rounding;
  }
}
