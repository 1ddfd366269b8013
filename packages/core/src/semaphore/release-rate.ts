import type { Clock } from '../clock.ts';

/** Minimum length of a period in milliseconds. */
const MIN_PERIOD_MS = 5000;

/** Minimum weight released until the rate of a period is known, so that a few long requests do not decide. */
const MIN_RELEASED = 32;

/** The same, as a multiple of the limit. */
const MIN_ROUNDS = 4;

/** Milliseconds without waiters after which the rate is forgotten, since it may have changed. */
const MAX_IDLE_MS = 60_000;

/**
 * Measures how fast a limit releases weight while requests are queued: in the current period or in the previous one,
 * whichever is faster. So neither a hang nor an unusually slow period makes the rate too low.
 */
export class ReleaseRate {
  /** Length of the current period in milliseconds, multiplied by the limit: so a new limit changes the rate at once. */
  #time = 0;
  /** Weight released in the current period. */
  #released = 0;
  /** Weight released since `#since`. */
  #latest = 0;
  /** Until when releases have been counted. Undefined while no request is queued, and until the first grant. */
  #since: number | undefined;
  #stoppedAt = 0;
  /** How long a unit of weight was held in the previous period, in milliseconds; Infinity while unknown. */
  #earlier = Infinity;

  /** Called when a request is queued and no other is. */
  start(now: number): void {
    if (now - this.#stoppedAt <= MAX_IDLE_MS) return;
    this.#earlier = Infinity;
    this.#time = 0;
    this.#released = 0;
  }

  /**
   * Called when a waiter is granted. The time before the first grant does not count: of requests that have come at once,
   * the others are released right after it, when no request may be queued any more.
   */
  granted(clock: Clock): void {
    this.#since ??= clock.now();
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
    const hold = Math.min(this.#earlier, this.#holdNow(limit));
    return hold === Infinity ? 0 : (weight * hold) / limit;
  }

  /** How long a unit of weight is held in the current period, in milliseconds; Infinity while unknown. */
  #holdNow(limit: number): number {
    return this.#released < minReleased(limit) ? Infinity : this.#time / this.#released;
  }

  #count(now: number, limit: number): void {
    if (this.#since === undefined || this.#latest === 0) return;
    this.#time += (now - this.#since) * limit;
    this.#released += this.#latest;
    this.#since = now;
    this.#latest = 0;
    if (this.#time < MIN_PERIOD_MS * limit || this.#released < 2 * minReleased(limit)) return;
    this.#earlier = this.#holdNow(limit);
    this.#time = 0;
    this.#released = 0;
  }
}

/** The weight that must be released in a period until its rate is known. */
function minReleased(limit: number): number {
  return Math.max(MIN_RELEASED, MIN_ROUNDS * limit);
}

/** Maximum number of idle keys whose rates are kept. */
const MAX_RATES = 1000;

/** How fast keys that are idle now have released weight: the next burst of a key need not measure it again. */
export class IdleRates {
  readonly #rates = new Map<string, ReleaseRate>();

  get(key: string): ReleaseRate | undefined {
    return this.#rates.get(key);
  }

  /** Keeps the rate of a key. The key that has been idle for longest loses its rate. */
  keep(key: string, rate: ReleaseRate): void {
    const rates = this.#rates;
    rates.delete(key);
    rates.set(key, rate);
    if (rates.size > MAX_RATES) rates.delete(rates.keys().next().value as string);
  }
}
