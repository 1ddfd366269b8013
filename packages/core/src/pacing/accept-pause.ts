import { type EventLoop, TURN_MS } from './event-loop.ts';
import type { WorkCost } from './work-cost.ts';

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
  /** When the first of the polls in a row that accepted a connection was; undefined if the last one accepted none. */
  since: number | undefined;
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
    this.since = hasAccepted ? (this.since ?? now) : undefined;
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
    // A few connections that arrive together are accepted in short turns before a pause could help.
    const isLasting = now - (this.since ?? now) > TURN_MS;
    this.isActive = isLasting && this.#timeLeft > (this.isActive ? 0 : MIN_MS);
    return hasAccepted;
  }
}
