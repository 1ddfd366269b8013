import { averaged } from '../limits/estimate.ts';
import { type EventLoop, LONG_TURN_MS } from './event-loop.ts';

/**
 * This many usual gaps without a finish count as a standstill, if they are longer than a long turn. In less time, too much
 * would start in a new process before the first answer shows how long work takes: with 5 ms, a pool of 10 × 500 ms at five
 * times its capacity serves 0.66 instead of 0.85. With 8 gaps, work that finishes in groups looks like one: a pool that is
 * suddenly ten times slower serves 0.77 of its capacity instead of 0.88; with 4, almost nothing.
 */
const STANDSTILL_GAPS = 12;

/**
 * The loop must have been idle for this part of the standstill. Otherwise more handlers would start while others compute in
 * many short steps, and delay all of them.
 */
const MIN_IDLE_PART = 0.1;

/**
 * Detects that the queue waits for nothing: requests wait for room, the loop has time, and no request finishes for longer
 * than usual. Then the limit protects nothing, and the oldest work no longer counts against it: 1, 2, 4, … requests, one
 * step per standstill. Once work that is older than the last step finishes, the dependency is slow but responds, and the
 * next step is 1 again. Without that, a slow dependency would be flooded.
 */
export class Progress {
  /** Average milliseconds from the start of a request to its end; 0 until one has finished. */
  #duration = 0;
  /** When a request first waited for room since the last finish or step, and the loop's idle time then. */
  #wait: { readonly since: number; readonly idle: number } | undefined;
  #steppedAt = -Infinity;
  #step = 1;

  constructor(private readonly loop: Pick<EventLoop, 'idle'>) {}

  /**
   * A request waits for room.
   *
   * @param inflight Number of requests that have not finished.
   * @returns Milliseconds until that is a standstill.
   */
  awaited(now: number, inflight: number): number {
    this.#wait ??= { since: now, idle: this.loop.idle() };
    const gap = this.#duration / Math.max(1, inflight);
    return this.#wait.since + Math.max(LONG_TURN_MS, STANDSTILL_GAPS * gap) - now;
  }

  /** A request waits for room. Returns how many of the oldest requests no longer count. */
  stuck(now: number, inflight: number): number {
    if (this.awaited(now, inflight) > 0 || this.#wait === undefined) return 0;
    const { since, idle } = this.#wait;
    this.#wait = undefined;
    if (this.loop.idle() - idle < MIN_IDLE_PART * (now - since)) return 0;
    this.#steppedAt = now;
    const step = this.#step;
    this.#step *= 2;
    return step;
  }

  finished(now: number, startedAt: number): void {
    this.#duration = averaged(this.#duration, now - startedAt);
    this.#wait = undefined;
    if (startedAt < this.#steppedAt) this.#step = 1;
  }
}
