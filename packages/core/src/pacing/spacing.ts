import type { WorkCost } from './work-cost.ts';

/**
 * Requests may start at this multiple of the rate at which the loop handles them. With a lower one, a loop that was idle
 * because requests cost less than estimated, or that was busy with other work, would not catch up.
 */
const MARGIN = 1.5;

/** The multiple while the code is cold: later requests cost less than the measured ones. */
const COLD_MARGIN = 4;

/** How far starts may be ahead of their schedule, in milliseconds, unless one interval between starts is longer. */
const MAX_LEAD_MS = 5;

/**
 * Spaces the starts of requests, as TCP pacing spaces packets. Otherwise requests that wait, compute and wait again finish
 * together and are replaced together, compute at a stretch, and leave the loop idle until the next ones compute.
 */
export class Spacing {
  /** When the next request would start if all starts were evenly spaced. */
  #next = 0;

  constructor(
    private readonly cost: Pick<WorkCost, 'inflight' | 'perRequest' | 'duration' | 'isCold'>,
  ) {}

  started(now: number): void {
    const interval = this.#interval;
    this.#next = now + this.#ahead(now, interval) + interval;
  }

  /** Milliseconds until another request may start; 0 if it may start now. */
  remaining(now: number): number {
    const interval = this.#interval;
    const excess = this.#ahead(now, interval) - Math.max(MAX_LEAD_MS, interval);
    return excess > 0 ? Math.max(1, excess) : 0;
  }

  /** Milliseconds by which starts are ahead of their schedule. Requests that have finished do not count. */
  #ahead(now: number, interval: number): number {
    return Math.max(0, Math.min(this.#next - now, this.cost.inflight * interval));
  }

  get #interval(): number {
    const { perRequest, duration, isCold } = this.cost;
    // Rejections count as a part of what a request costs, but not of how long it takes.
    return Math.min(perRequest, duration) / (isCold ? COLD_MARGIN : MARGIN);
  }
}
