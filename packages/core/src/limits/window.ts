import { type Sample, saturatedLimit } from './limit.ts';
import { Mean } from './mean.ts';

/** Minimum length of a window, in milliseconds. */
const MIN_WINDOW_MS = 100;

/** Minimum number of samples: fewer are not representative, even if they hardly differ. */
const MIN_SAMPLES = 10;

/** When a window ends. */
export interface Precision {
  readonly minSamples: number;
  /** Maximum margin of error of the mean, relative to it. */
  readonly maxError: number;
  /** Number of samples after which the window ends, even if the error is large. */
  readonly maxSamples: number;
  /** Minimum length in mean round trips. With two, the work admitted at the beginning of the window has finished. */
  readonly minRtts: number;
  /**
   * Milliseconds after which the window ends, even if the error is large. It still needs the minimum of samples and
   * round trips.
   */
  readonly maxLength: number;
}

const usual = {
  minSamples: MIN_SAMPLES,
  maxError: 0.2,
  maxSamples: 500,
  minRtts: 2,
  maxLength: 10_000,
};

const usualBut = (changes: Partial<Precision>): Precision => ({ ...usual, ...changes });

// Marked as pure, so that bundlers remove them from applications without an adaptive limit.
export const precisions = {
  /**
   * For the first window, from which the baseline is learnt. A few samples of skewed work have too low a mean, and a
   * short window contains only work that is short.
   */
  first: /* @__PURE__ */ usualBut({ minSamples: 30, maxError: 0.1, minRtts: 5 }),
  /** For the first window after the ramp. It is shorter, since the limit may be too low until it ends. */
  firstAfterRamp: /* @__PURE__ */ usualBut({ minSamples: 30, minRtts: 1 }),
  /**
   * For windows during the ramp: precise enough to notice that the round trip has doubled. A shorter window would
   * mostly contain short work.
   */
  duringRamp: /* @__PURE__ */ usualBut({ maxError: 0.5, minRtts: 1 }),
  usual,
  /** For windows that are compared with each other. */
  compared: /* @__PURE__ */ usualBut({ maxError: 0.07, maxSamples: 2000, maxLength: 30_000 }),
} satisfies Readonly<Record<string, Precision>>;

/** Statistics of the samples of one period. */
export class Window {
  #start = 0;
  readonly #rtt = new Mean();
  readonly #inflight = new Mean();
  readonly #slowdown = new Mean();
  /** The highest limit that would have been used up. */
  saturated = 0;

  /** @param slowdown The ratio of the round trip to the baseline of its kind, if known. */
  add(sample: Sample, slowdown: number | undefined): void {
    if (this.#rtt.count === 0) this.#start = sample.now;
    this.#rtt.add(sample.rtt);
    this.#inflight.add(sample.inflight);
    this.saturated = Math.max(this.saturated, saturatedLimit(sample));
    if (slowdown !== undefined) this.#slowdown.add(slowdown);
  }

  /** Whether the window is long enough and has enough samples to distinguish load from chance. */
  isOver(now: number, precision: Precision): boolean {
    const { minSamples, maxError, maxSamples, minRtts, maxLength } = precision;
    const age = now - this.#start;
    const { count, margin, value } = this.#isMostlyKnown ? this.#slowdown : this.#rtt;
    const minLength = Math.max(MIN_WINDOW_MS, minRtts * this.#rtt.value);
    if (count < minSamples || age < minLength) return false;
    return count >= maxSamples || age >= maxLength || margin <= maxError * value;
  }

  /**
   * Whether most of the work is of kinds that have a baseline. If not, their few samples must not prolong the window.
   */
  get #isMostlyKnown(): boolean {
    const { count } = this.#slowdown;
    return count >= MIN_SAMPLES || 2 * count > this.#rtt.count;
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
