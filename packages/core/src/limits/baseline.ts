import { MAX_KINDS } from './limit.ts';
import { Mean } from './mean.ts';
import type { Work } from './trend.ts';

/** Maximum number of samples that a baseline averages over, so that it keeps adapting. */
const MAX_SAMPLES = 1000;

/** Below this number of samples, a baseline is too uncertain to be kept under load. */
const MIN_SAMPLES = 30;

/**
 * Below this number of samples, a baseline learnt under load is uncertain. That applies before the first overload, and
 * again after it, since the baseline would not rise later.
 */
const MIN_SAMPLES_UNDER_LOAD = 300;

/**
 * Minimum number of samples that correct a baseline downwards under load: the mean of fewer skewed samples is too low.
 */
const MIN_SAMPLES_TO_CORRECT = 30;

/** The mean of these samples must be below the baseline by this many margins of error. */
const MIN_MARGINS_TO_CORRECT = 1.5;

/** How long one kind of work takes without load. */
class Baseline {
  /** In milliseconds; 0 while there is no baseline. */
  #rtt = 0;
  #samples = 0;
  #minSamples = MIN_SAMPLES;
  /** The samples of the present window. */
  #window = new Mean();
  /** The samples of finished windows, collected until they are enough to correct the baseline. */
  #recent = new Mean();

  get rtt(): number {
    return this.#rtt;
  }

  /** Number of samples that the baseline averages over. */
  get samples(): number {
    return this.#samples;
  }

  /** Returns the ratio of a round trip to the baseline; undefined while there is no baseline. */
  note(rtt: number): number | undefined {
    this.#window.add(rtt);
    return this.#rtt === 0 ? undefined : rtt / this.#rtt;
  }

  /** Learns the baseline again from the following samples. */
  forget(): void {
    this.#samples = 0;
    this.#minSamples = MIN_SAMPLES_UNDER_LOAD;
    this.#rtt = 0;
    this.#recent = new Mean();
    this.discard();
  }

  /** Forgets the samples of the present window. */
  discard(): void {
    this.#window = new Mean();
  }

  /**
   * Updates the baseline from the window. While the baseline is uncertain or the load is low, it may rise; otherwise it
   * only falls.
   */
  learn(isQuiet: boolean, isEarly: boolean): void {
    const isUncertain = this.#samples < (isEarly ? MIN_SAMPLES_UNDER_LOAD : this.#minSamples);
    if (isQuiet || isUncertain) {
      this.#average(this.#window);
      this.#recent = new Mean();
    } else {
      this.#recent.include(this.#window);
      this.#correct();
    }
    this.discard();
  }

  /** Lowers the baseline if the samples are below it by more than chance explains. */
  #correct(): void {
    const { count, value, margin } = this.#recent;
    if (count < MIN_SAMPLES_TO_CORRECT) return;
    if (value + MIN_MARGINS_TO_CORRECT * margin < this.#rtt) this.#average(this.#recent);
    this.#recent = new Mean();
  }

  #average({ count, value }: Mean): void {
    if (count === 0) return;
    this.#samples = Math.min(this.#samples + count, MAX_SAMPLES);
    this.#rtt += ((value - this.#rtt) * Math.min(count, MAX_SAMPLES)) / this.#samples;
  }

  scale(factor: number): void {
    this.#rtt *= factor;
  }
}

/**
 * The baselines of all kinds of work. Each kind has its own, since some kinds take a thousand times as long as others
 * and the mix of kinds changes.
 */
export class Baselines {
  readonly #kinds = new Map<string | undefined, Baseline>();

  /** Mean of all kinds in milliseconds, each weighted by its samples; undefined while there is no baseline. */
  get mean(): number | undefined {
    let [sum, samples] = [0, 0];
    for (const baseline of this.#kinds.values()) {
      sum += baseline.rtt * baseline.samples;
      samples += baseline.samples;
    }
    return samples === 0 ? undefined : sum / samples;
  }

  /** Whether any kind has a baseline. */
  get isKnown(): boolean {
    for (const { samples } of this.#kinds.values()) if (samples > 0) return true;
    return false;
  }

  note(kind: string | undefined, rtt: number): number | undefined {
    return this.#of(kind).note(rtt);
  }

  /** @param isEarly True until the first overload. */
  learn(isQuiet: boolean, isEarly: boolean): void {
    for (const baseline of this.#kinds.values()) baseline.learn(isQuiet, isEarly);
  }

  /** Forgets the samples of the present window. */
  discard(): void {
    for (const baseline of this.#kinds.values()) baseline.discard();
  }

  /**
   * Scales all baselines down if this work, which ran under less load, was faster than they predict: by the ratio of
   * its total time to the predicted time.
   */
  scaleDownTo(work: readonly Work[]): void {
    let [time, expected] = [0, 0];
    for (const { kind, rtt } of work) {
      const baseline = this.#of(kind).rtt;
      if (baseline === 0) continue;
      time += rtt;
      expected += baseline;
    }
    if (time >= expected) return;
    for (const baseline of this.#kinds.values()) baseline.scale(time / expected);
  }

  forget(): void {
    for (const baseline of this.#kinds.values()) baseline.forget();
  }

  #of(kind: string | undefined): Baseline {
    const known = this.#kinds.get(kind);
    if (known !== undefined) return known;
    if (this.#kinds.size >= MAX_KINDS && kind !== undefined) return this.#of(undefined);
    const baseline = new Baseline();
    this.#kinds.set(kind, baseline);
    return baseline;
  }
}
