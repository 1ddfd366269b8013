/** Minimum time over which the rate is measured, in milliseconds: long enough to average, short enough to follow changes. */
const MIN_MEASURED_MS = 5000;

/** Minimum weight over which it is measured, as a multiple of the limit. */
const MIN_ROUNDS = 2;

/** Time without a release, in milliseconds, that says nothing: the event loop may have been busy. */
const MAX_BUSY_MS = 100;

/**
 * Measures how fast a limit releases weight while requests are queued or rejected, over one or two periods of 5 s, or longer
 * ones if fewer than two limits of weight were released. A mean over all time would be useless: one event stream may last
 * for days.
 */
export class ReleaseRate {
  /** Milliseconds multiplied by the limit, so that a change of the limit changes the expected wait at once. */
  #time = 0;
  /** Weight. */
  #released = 0;
  /** The same of the period before. */
  #earlierTime = 0;
  #earlierReleased = 0;
  /** Weight that was released since `#since`. */
  #latest = 0;
  /** Until when releases have been counted, or since when there is no room; undefined while there is. */
  #since: number | undefined;
  #stoppedAt = 0;

  /** Whether there is no room, so that releases count. */
  get isMeasuring(): boolean {
    return this.#since !== undefined;
  }

  /** There is no room. The rate is forgotten if it has not been measured for as long as it was before: it may have changed. */
  start(now: number, limit: number): void {
    if (this.#since !== undefined) return;
    this.#since = now;
    if ((now - this.#stoppedAt) * limit <= this.#earlierTime + this.#time) return;
    this.#earlierTime = 0;
    this.#earlierReleased = 0;
    this.#time = 0;
    this.#released = 0;
  }

  /** Needs no clock: when it was is not important, except for the end of a period. */
  released(weight: number): void {
    if (this.#since !== undefined) this.#latest += weight;
  }

  /** There is room again. */
  stop(now: number, limit: number): void {
    this.#count(now, limit);
    this.#since = undefined;
    this.#stoppedAt = now;
  }

  /**
   * Milliseconds until this weight is expected to be released. Optimistic until as much weight as the limit has been released;
   * but permits that have been held for some time are expected to be held for as long again.
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
