/** Minimum length of a period in milliseconds. */
const MIN_PERIOD_MS = 1000;

/** Minimum weight released in a period, as a multiple of the limit. */
const MIN_ROUNDS = 4;

/** Milliseconds without waiters after which the rate is forgotten, since it may have changed. */
const MAX_IDLE_MS = 60_000;

/**
 * Measures how fast a limit releases weight while requests are queued: in the faster of the last two complete periods.
 * So neither a hang nor an unusually slow period makes the rate too low.
 */
export class ReleaseRate {
  /** Length of the current period in milliseconds, multiplied by the limit: so a new limit changes the rate at once. */
  #time = 0;
  /** Weight released in the current period. */
  #released = 0;
  /** Weight released since `#since`. */
  #latest = 0;
  /** Until when releases have been counted. Undefined while no request is queued. */
  #since: number | undefined;
  #stoppedAt = 0;
  /** How long a unit of weight was held in each of the last two periods, in milliseconds; 0 while unknown. */
  #holds: readonly [number, number] = [0, 0];

  /** Called when a request is queued and no other is. */
  start(now: number): void {
    this.#since = now;
    if (now - this.#stoppedAt <= MAX_IDLE_MS) return;
    this.#holds = [0, 0];
    this.#time = 0;
    this.#released = 0;
  }

  /** Reads no clock: the time matters only at the end of a period. */
  released(weight: number): void {
    if (this.#since !== undefined) this.#latest += weight;
  }

  /** Called when no request is queued any more. */
  stop(now: number, limit: number): void {
    this.#count(now, limit);
    this.#since = undefined;
    this.#stoppedAt = now;
  }

  /** Milliseconds until this weight has been released, at the least; 0 while unknown. */
  wait(now: number, weight: number, limit: number): number {
    this.#count(now, limit);
    return (weight * Math.min(...this.#holds)) / limit;
  }

  #count(now: number, limit: number): void {
    if (this.#since === undefined || this.#latest === 0) return;
    this.#time += (now - this.#since) * limit;
    this.#released += this.#latest;
    this.#since = now;
    this.#latest = 0;
    if (this.#time < MIN_PERIOD_MS * limit || this.#released < MIN_ROUNDS * limit) return;
    this.#holds = [this.#time / this.#released, this.#holds[0]];
    this.#time = 0;
    this.#released = 0;
  }
}
