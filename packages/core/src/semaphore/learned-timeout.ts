/** Part of the way that an answer that came too late moves the timeout: one client that leaves early moves it little. */
const STEP = 0.3;

/** Where an answer that came too late moves the timeout: to this part of its wait. */
const TARGET = 0.7;

/** Growth per answer in time after nearly the whole timeout: slow, since each step too far serves clients in vain. */
const GROWTH = 1.001;

/**
 * Learns for how long the clients of a limit wait. A FIFO queue under overload serves each request just before its
 * client leaves, so every answer comes too late. The learned timeout is the longest wait after which answers have lately
 * come in time. Reset when the queue is empty: then no request has waited for long.
 */
export class LearnedTimeout {
  /** Milliseconds; Infinity while no answer has come too late. */
  value = Infinity;

  /**
   * A request that was queued has been answered.
   *
   * @param waited Its wait in milliseconds.
   * @param held How long it has held its permit, in milliseconds.
   * @param isLate Whether its client had left.
   * @param max The maximum wait in milliseconds.
   */
  answered(waited: number, held: number, isLate: boolean, max: number): void {
    if (!isLate) {
      if (waited > 0.7 * this.value) this.value *= GROWTH;
      if (this.value >= max) this.value = Infinity;
      // Otherwise the work itself took too long, not the wait.
    } else if (waited > held / 2) {
      const value = Math.min(this.value, max);
      this.value = value - STEP * Math.max(0, value - TARGET * waited);
    }
  }

  reset(): void {
    this.value = Infinity;
  }
}
