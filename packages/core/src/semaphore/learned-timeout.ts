import { isGone, type Waiter } from './waiter.ts';

/** Part of the way that an answer that came too late moves the timeout: one client that leaves early moves it little. */
const STEP = 0.3;

/** Where an answer that came too late moves the timeout: to this part of its wait. */
const TARGET = 0.7;

/** Where the timeout starts without a maximum wait, in milliseconds. */
const MAX_MS = 60_000;

/**
 * The timeout applies once more answers have come too late than in time, by more than this. Otherwise one client that
 * leaves early would shorten the wait of a whole burst.
 */
const TOLERATED = 3;

/** An answer in time after this part of the timeout shows that the timeout may be longer. */
const NEARLY = 0.7;

/**
 * Growth per answer in time after nearly the whole timeout: slow, since a timeout that is too long serves clients that
 * have left.
 */
const GROWTH = 1.001;

/** The permit of a request that was queued. */
interface Answered {
  readonly waited: number;
  readonly since: number;
}

/**
 * Learns for how long the clients of a limit wait. A FIFO queue under overload serves each request just before its
 * client leaves, so every answer comes too late. The learned timeout is the longest wait after which answers have recently
 * come in time. Reset when the queue is empty: then no request has waited for long.
 */
export class LearnedTimeout {
  /** Milliseconds; Infinity while no answer has come too late. */
  value = Infinity;
  /** By how many more answers have come too late than in time, while the timeout does not apply; at least 0. */
  #late = 0;

  /**
   * A request that was queued has been answered. Its permit was granted at `since`.
   *
   * @param queueTimeout The limit's maximum wait in milliseconds. A request may have a longer one of its own.
   */
  answered({ waited, since }: Answered, waiter: Waiter, now: number, queueTimeout: number): void {
    const max = Math.max(queueTimeout, waiter.queueTimeout ?? 0);
    if (!isGone(waiter)) {
      this.#late = Math.max(0, this.#late - 1);
      if (waited <= NEARLY * this.value) return;
      this.value *= GROWTH;
      if (this.value >= max) this.value = Infinity;
      // Otherwise the work itself took too long, not the wait.
    } else if (waited > (now - since) / 2) {
      if (this.value === Infinity && ++this.#late <= TOLERATED) return;
      const value = Math.min(this.value, max, MAX_MS);
      this.value = value - STEP * Math.max(0, value - TARGET * waited);
    }
  }

  /** Whether the client of a waiter has probably left. */
  endsWaitOf({ since, isPatient }: Waiter, now: number): boolean {
    return now - since > this.value && !isPatient;
  }

  reset(): void {
    this.value = Infinity;
    this.#late = 0;
  }
}
