import { MAX_MARGIN, MIN_BASELINE, MIN_SAMPLES } from './baseline.ts';
import { Estimate } from './estimate.ts';
import { type Sample, saturatedLimit, TOLERANCE } from './limit.ts';

/** Minimum length of a window in milliseconds. Without it, a moment would decide. */
export const MIN_WINDOW_MS = 100;

/** A window that remains uncertain ends after this number of mean durations. */
const MAX_WINDOW_RTTS = 10;

/** From this slowdown on, work is slow. All slowdowns are logarithms: those of two causes add up. */
export const SLOW = Math.log(TOLERANCE);

/** What a window of finished work shows. */
export interface Seen {
  readonly limit: number;
  /** Slowdown of the work against its baseline, its margin of error, and that of the baseline. */
  readonly slowdown: number;
  readonly margin: number;
  readonly baselineMargin: number;
  /** Whether the limit was nearly used up at some time. */
  readonly isUsed: boolean;
  /** Whether at most half of the limit was in use. */
  readonly isLight: boolean;
  /** Mean weight in flight. */
  readonly inflight: number;
  /** Weight that can be served at once without a slowdown, by Little's law. */
  readonly capacity: number;
}

/** The margin of error of the slowdown, that of the baseline included. */
export function marginOf({ margin, baselineMargin }: Seen): number {
  return Math.hypot(margin, baselineMargin);
}

/** The work that finished in a period. */
export class Window {
  readonly #slowdown = new Estimate();
  #count = 0;
  /** Sums of the durations, of the durations times the weights, and of the weights in flight. */
  #rtts = 0;
  #work = 0;
  #inflight = 0;
  #baselineMargins = 0;
  /** The highest limit that would have been used up. */
  saturated = 0;

  constructor(private readonly start: number) {}

  add(sample: Sample, baseline: Estimate): void {
    const { rtt, inflight, weight } = sample;
    this.#count++;
    this.#rtts += rtt;
    this.#work += rtt * weight;
    this.#inflight += inflight;
    this.saturated = Math.max(this.saturated, saturatedLimit(sample));
    if (baseline.count < MIN_BASELINE) return;
    this.#slowdown.add(Math.log1p(rtt) - baseline.mean);
    this.#baselineMargins += baseline.margin;
  }

  /** Mean duration in milliseconds. */
  get rtt(): number {
    return this.#rtts / this.#count;
  }

  get inflight(): number {
    return this.#inflight / this.#count;
  }

  get #isKnown(): boolean {
    return this.#slowdown.count >= MIN_SAMPLES;
  }

  get slowdown(): number {
    return this.#isKnown ? this.#slowdown.mean : 0;
  }

  /** Whether the window distinguishes slow work from chance. Windows that are compared are twice as precise. */
  isOver(now: number, isCompared: boolean): boolean {
    const age = now - this.start;
    const usual = this.rtt / Math.max(1, Math.exp(this.slowdown));
    if (this.#count < MIN_SAMPLES || age < Math.max(MIN_WINDOW_MS, usual)) return false;
    const precision = isCompared ? 2 : 1;
    if (!this.#isKnown || age >= precision * MAX_WINDOW_RTTS * usual) return true;
    const { mean, margin } = this.#slowdown;
    return Math.abs(mean - SLOW) >= margin || margin <= MAX_MARGIN / precision;
  }

  seen(now: number, limit: number, isUsed: boolean): Seen {
    const { slowdown, inflight } = this;
    const margin = this.#isKnown ? this.#slowdown.margin : 0;
    const baselineMargin = this.#isKnown ? this.#baselineMargins / this.#slowdown.count : 0;
    const capacity = this.#work / (now - this.start) / Math.exp(slowdown);
    return {
      limit,
      slowdown,
      margin,
      baselineMargin,
      isUsed,
      isLight: inflight <= limit / 2,
      inflight,
      capacity,
    };
  }
}
