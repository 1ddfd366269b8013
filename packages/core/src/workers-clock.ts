import type { Clock } from './clock.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * A clock for Cloudflare Workers, where a timer ends with the request that has set it. So this clock only records its
 * timers, and `run`, called during any request, fires those that are due.
 */
export class WorkersClock implements Clock {
  readonly #timers = new Set<Timer>();

  now(): number {
    return performance.now();
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { at: this.now() + delay, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** Fires the timers that are due. */
  run(): void {
    const now = this.now();
    for (const timer of [...this.#timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > now) return;
      if (this.#timers.delete(timer)) timer.callback();
    }
  }

  /** Milliseconds until the next timer is due; Infinity if there is none. */
  get untilNext(): number {
    let next = Infinity;
    for (const { at } of this.#timers) next = Math.min(next, at);
    return Math.max(0, next - this.now());
  }
}

/** The clock of all limits of an isolate. */
export const workersClock = /* @__PURE__ */ new WorkersClock();
