import { LONG_TURN_MS, MAX_TURN_MS, TURN_MS } from './event-loop.ts';
import type { WorkCost } from './work-cost.ts';

/**
 * Upper bound for reading and rejecting a request, in milliseconds. The rest of a turn is other work. Without it, rejections
 * look like other work, and the p99 of handlers of 1 ms of CPU at five times the capacity is a quarter higher.
 */
const REJECTION_MS = 0.5;

/** Measures how much work has started in the current turn: an iteration of the event loop, from one poll to the next. */
export class Turn {
  /** Length of the last turn in milliseconds, at most `MAX_TURN_MS`. */
  lastLength = 0;
  /** Number of requests in flight when the turn began. */
  inflightBefore = 0;
  /** Whether a request has started or finished in this turn; if not, the turn was spent on other work. */
  hasRequests = false;
  /** When the first request of this turn started. */
  #startedAt: number | undefined;
  #finishedAt = 0;
  /** Number of its requests that have not finished. */
  #unfinished = 0;
  /** Number of requests that were queued in it. */
  #queued = 0;
  /** Milliseconds of work that may start in it. */
  #budget = TURN_MS;
  /** Whether a request has just finished that another may replace at once. */
  #mayReplace = false;

  queued(): void {
    this.#queued++;
  }

  started(now: number): void {
    this.#startedAt ??= now;
    this.hasRequests = true;
    this.#unfinished++;
    this.#mayReplace = false;
  }

  /** @param hasWaited Whether the request has done more than compute since it started. */
  finished(now: number, hasWaited: boolean, inflight: number): void {
    this.#finishedAt = now;
    this.hasRequests = true;
    if (this.#unfinished > 0) this.#unfinished--;
    this.#mayReplace = hasWaited && inflight < this.inflightBefore;
  }

  /**
   * Whether no other request may start in this turn. A finished request that waited for a timer or a socket may be replaced
   * at once: if all started right after a poll, they would also finish together, and leave the loop idle until then. Only
   * while the turn is short, since the loop does not poll while timers are due.
   */
  isFull(now: number, { perRequest, ownCost, busyPart }: WorkCost): boolean {
    if (this.#startedAt === undefined) return false;
    const elapsed = now - this.#startedAt;
    if (elapsed >= MAX_TURN_MS) return true;
    if (this.#mayReplace && elapsed < LONG_TURN_MS) return false;
    // Requests that wait compute in later turns.
    const work = Math.max(elapsed + this.#unfinished * perRequest, ownCost);
    return work * busyPart >= this.#budget;
  }

  /** The turn has ended. */
  ended(milliseconds: number, inflight: number): void {
    const worked =
      this.#startedAt === undefined ? 0 : Math.max(0, this.#finishedAt - this.#startedAt);
    // With requests in flight before or after the turn, their part of it is unknown.
    const isKnown = this.inflightBefore === 0 && inflight === 0;
    const other = isKnown ? milliseconds - worked - this.#queued * REJECTION_MS : 0;
    this.#budget = Math.max(TURN_MS, Math.min(other, MAX_TURN_MS));
    this.lastLength = Math.min(milliseconds, MAX_TURN_MS);
    this.inflightBefore = inflight;
    this.#startedAt = undefined;
    this.hasRequests = false;
    this.#unfinished = 0;
    this.#queued = 0;
    this.#mayReplace = false;
  }
}
