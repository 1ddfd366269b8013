/** Minimum length of a window, in milliseconds. */
const MIN_WINDOW_MS = 100;

/** Length in milliseconds after which a window ends even with few samples. */
const MAX_WINDOW_MS = 10_000;

const MIN_SAMPLES = 10;
const MAX_SAMPLES = 500;

/** Maximum margin of error of a window's mean, relative to it, unless the window has reached its maximum. */
const MAX_ERROR = 0.2;

/** Statistics of the samples of one period. */
export class Window {
  #start = 0;
  readonly #rtt = new Mean();
  readonly #inflight = new Mean();
  readonly #slowdown = new Mean();
  /** Maximum weight in use. */
  peak = 0;

  /** @param slowdown The ratio of the round trip to the baseline of its kind, if known. */
  add(now: number, rtt: number, inflight: number, slowdown: number | undefined): void {
    if (this.#rtt.count === 0) this.#start = now;
    this.#rtt.add(rtt);
    this.#inflight.add(inflight);
    if (inflight > this.peak) this.peak = inflight;
    if (slowdown !== undefined) this.#slowdown.add(slowdown);
  }

  /**
   * Whether the window is complete: long enough for the work admitted at its beginning to have finished, and with
   * enough samples to tell load from chance.
   */
  isOver(now: number): boolean {
    const age = now - this.#start;
    const compared = this.#slowdown.count > 0 ? this.#slowdown : this.#rtt;
    if (compared.count < MIN_SAMPLES || age < Math.max(MIN_WINDOW_MS, 2 * this.#rtt.value))
      return false;
    if (compared.count >= MAX_SAMPLES || age >= MAX_WINDOW_MS) return true;
    return compared.margin <= MAX_ERROR * compared.value;
  }

  /** Mean weight in use. */
  get inflight(): number {
    return this.#inflight.value;
  }

  /** Mean ratio of work to its baseline; undefined if there are too few samples. */
  get slowdown(): number | undefined {
    return this.#slowdown.count < MIN_SAMPLES ? undefined : this.#slowdown.value;
  }

  /** Margin of error of `slowdown`. */
  get margin(): number {
    return this.#slowdown.margin;
  }
}

/** A mean and its margin of error. */
export class Mean {
  count = 0;
  #sum = 0;
  #sumOfSquares = 0;

  add(value: number): void {
    this.count++;
    this.#sum += value;
    this.#sumOfSquares += value * value;
  }

  get value(): number {
    return this.#sum / this.count;
  }

  /** Two standard errors. */
  get margin(): number {
    const variance = Math.max(0, this.#sumOfSquares / this.count - this.value ** 2);
    return 2 * Math.sqrt(variance / this.count);
  }
}
