import type { EventLoop } from './event-loop.ts';
import { TURN_MS, type WorkCost } from './work-cost.ts';

/** Milliseconds that a pause may last. */
const MAX_MS = 100;

/** A shorter pause does not begin: the requests in flight would not finish during it, and keep each turn long. */
const MIN_MS = 30;

/** Part of the time that pauses take at least, though requests that wait leave the loop idle after a pause. */
const MIN_PART = 0.3;

/**
 * Holds starts back while the loop accepts connections. Node accepts one per iteration (libuv since 1.45), so behind
 * long turns connections wait where nothing can reject them. Pauses take at most half of the time.
 */
export class AcceptPause {
  isActive = false;
  /** Number of consecutive polls that accepted a connection; a single one may be chance. */
  polls = 0;
  /** Number of connections accepted before the last poll. */
  #accepted = 0;
  /** Milliseconds for which starts may still be held back. */
  #timeLeft = 0;
  #polledAt = 0;

  constructor(
    private readonly loop: EventLoop,
    private readonly cost: Pick<WorkCost, 'busyPart'>,
  ) {}

  /**
   * Notes a poll. Returns whether it has accepted a connection.
   *
   * @param wereInflight Whether requests were in flight at the poll before.
   */
  polled(now: number, wereInflight: boolean): boolean {
    const accepted = this.loop.accepted();
    const hasAccepted = accepted > this.#accepted;
    this.#accepted = accepted;
    this.polls = hasAccepted ? this.polls + 1 : 0;
    const elapsed = now - this.#polledAt;
    this.#polledAt = now;
    const { busyPart } = this.cost;
    if (this.isActive) {
      // The rest of a long turn was spent on the requests that had started before.
      const computing = wereInflight ? busyPart * Math.max(0, elapsed - TURN_MS) : 0;
      this.#timeLeft -= elapsed - computing;
    } else {
      const earned = elapsed * Math.max(MIN_PART, busyPart);
      this.#timeLeft = Math.min(MAX_MS, this.#timeLeft + earned);
    }
    this.isActive = this.polls > 1 && this.#timeLeft > (this.isActive ? 0 : MIN_MS);
    return hasAccepted;
  }
}
