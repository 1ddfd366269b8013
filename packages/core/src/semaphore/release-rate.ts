/** Minimum period of measurement in milliseconds: long enough to average, short enough to follow changes. */
const MIN_MEASURED_MS = 5000;

/** Minimum weight released in a period, as a multiple of the limit. */
const MIN_ROUNDS = 2;

/** Pauses between releases are ignored up to this many milliseconds, since the event loop may have been busy. */
const MAX_BUSY_MS = 100;

/**
 * Measures how fast a limit releases weight while requests are queued or rejected. It averages over the current and the
 * previous period. A period lasts at least 5 s, and until twice the limit has been released. It does not average over
 * all time, since one event stream may last for days.
 */
export class ReleaseRate {
  /**
   * Length of the current period in milliseconds, multiplied by the limit. So a new limit changes the expected wait at
   * once.
   */
  #time = 0;
  /** Weight released in the current period. */
  #released = 0;
  /** Length of the previous period, multiplied by the limit. */
  #earlierTime = 0;
  #earlierReleased = 0;
  /** Weight that was released since `#since`. */
  #latest = 0;
  /** Until when releases have been counted. Undefined while there is room. */
  #since: number | undefined;
  #stoppedAt = 0;

  /** Whether releases count: only while there is no room. */
  get isMeasuring(): boolean {
    return this.#since !== undefined;
  }

  /**
   * Called when there is no room. Forgets the rate if there was room for longer than the rate was measured, since it
   * may have changed.
   */
  start(now: number, limit: number): void {
    if (this.#since !== undefined) return;
    this.#since = now;
    if ((now - this.#stoppedAt) * limit <= this.#earlierTime + this.#time) return;
    this.#earlierTime = 0;
    this.#earlierReleased = 0;
    this.#time = 0;
    this.#released = 0;
  }

  /** Reads no clock: the time matters only at the end of a period. */
  released(weight: number): void {
    if (this.#since !== undefined) this.#latest += weight;
  }

  /** Called when there is room again. */
  stop(now: number, limit: number): void {
    this.#count(now, limit);
    this.#since = undefined;
    this.#stoppedAt = now;
  }

  /**
   * Milliseconds until this weight is expected to be released. Until the weight of a whole limit has been released,
   * this is an underestimate. A permit that has been held for some time is expected to be held for the same time again.
   */
  wait(now: number, weight: number, limit: number): number {
    this.#count(now, limit);
    const since = this.#since ?? now;
    const pending = Math.max(0, now - since - MAX_BUSY_MS);
    const time = this.#earlierTime + this.#time + pending * limit;
    const released = this.#earlierReleased + this.#released;
    const hold = Math.max(time / Math.max(released, limit), pending);
    return (weight * hold) / limit;
  }

  #count(now: number, limit: number): void {
    if (this.#since === undefined || this.#latest === 0) return;
    this.#time += (now - this.#since) * limit;
    this.#released += this.#latest;
    this.#since = now;
    this.#latest = 0;
    if (this.#time < MIN_MEASURED_MS * limit || this.#released < MIN_ROUNDS * limit) return;
    this.#earlierTime = this.#time;
    this.#earlierReleased = this.#released;
    this.#time = 0;
    this.#released = 0;
  }
}
