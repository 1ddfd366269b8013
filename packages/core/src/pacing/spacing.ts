import type { WorkCost } from './work-cost.ts';

/**
 * How many times as fast requests may start as the loop handles them. TCP is paced with a margin as well. With less, a loop
 * that is idle after requests that cost little, or busy with other things, would not catch up.
 */
const MARGIN = 1.5;

/** The same while the code is cold, so that the next requests cost less than the last ones. */
const COLD_MARGIN = 4;

/** Milliseconds of work that may start at once, unless that of two requests is more. */
const BURST_MS = 5;

/**
 * Spaces the starts of requests, as TCP pacing spaces packets. Otherwise requests that wait, compute and wait again finish
 * together and are replaced together, compute at a stretch, and leave the loop idle until the next ones compute.
 */
export class Spacing {
  /** When the loop would have done the work that was started. */
  #until = 0;

  constructor(
    private readonly cost: Pick<WorkCost, 'inflight' | 'perRequest' | 'duration' | 'isCold'>,
  ) {}

  started(now: number): void {
    const interval = this.#interval;
    this.#until = now + this.#ahead(now, interval) + interval;
  }

  /** Milliseconds until another request may start; 0 if it may start now. */
  remaining(now: number): number {
    const interval = this.#interval;
    const excess = this.#ahead(now, interval) - Math.max(BURST_MS, interval);
    return excess > 0 ? Math.max(1, excess) : 0;
  }

  /** Milliseconds of work that was started and is not done yet: at most that of the requests in flight. */
  #ahead(now: number, interval: number): number {
    return Math.max(0, Math.min(this.#until - now, this.cost.inflight * interval));
  }

  get #interval(): number {
    const { perRequest, duration, isCold } = this.cost;
    // Rejections count as a part of what a request costs, but not of how long it takes.
    return Math.min(perRequest, duration) / (isCold ? COLD_MARGIN : MARGIN);
  }
}
