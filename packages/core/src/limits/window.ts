/** Minimum length of a window, in milliseconds. */
const MIN_WINDOW_MS = 100;

/** Fewer samples say too little, whatever their spread. */
const MIN_SAMPLES = 10;

/** Number of samples at which a window ends, however imprecise its mean. */
const MAX_SAMPLES = 500;

/** How precise the mean of a window must be for the window to end. */
interface Precision {
  /** Maximum margin of error of the mean, relative to it. */
  readonly maxError: number;
  /** Milliseconds after which the window ends all the same. */
  readonly maxLength: number;
}

const usual: Precision = { maxError: 0.2, maxLength: 10_000 };

/** For windows that are compared with each other. */
const high: Precision = { maxError: 0.07, maxLength: 30_000 };

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
   *
   * @param isCompared Whether it is compared with another window.
   */
  isOver(now: number, isCompared: boolean): boolean {
    const age = now - this.#start;
    const { count, margin, value } = this.#slowdown.count > 0 ? this.#slowdown : this.#rtt;
    const minLength = Math.max(MIN_WINDOW_MS, 2 * this.#rtt.value);
    if (count < MIN_SAMPLES || age < minLength) return false;
    const { maxError, maxLength } = isCompared ? high : usual;
    return count >= MAX_SAMPLES || age >= maxLength || margin <= maxError * value;
  }

  /** Mean round trip in milliseconds. */
  get rtt(): number {
    return this.#rtt.value;
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
