import type { EventLoop } from './event-loop.ts';
import { TURN_MS, type WorkCost } from './work-cost.ts';

/** Milliseconds that a pause may last. */
const MAX_MS = 100;

/** Minimum milliseconds of a pause: in a shorter one, requests in flight would not finish, and would keep turns long. */
const MIN_MS = 30;

/** Milliseconds of pause earned per millisecond, at least, even if requests that mostly wait leave the loop idle. */
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
  /** Milliseconds of pause that are left. */
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
      // A turn beyond TURN_MS was spent on requests that had started before the pause, which is not charged for them.
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
