import type { Work } from './trend.ts';
import { Mean } from './window.ts';

/** Maximum number of samples that a baseline averages over, so that it keeps adapting. */
const MAX_SAMPLES = 1000;

/** Samples below which a baseline is too uncertain to be kept under load. */
const MIN_SAMPLES = 30;

/** The same for a baseline that is learnt again: that happens under load, where it would not rise later. */
const MIN_SAMPLES_AGAIN = 300;

/** Samples of a window below which it does not correct a baseline under load: few skewed ones have too low a mean. */
const MIN_SAMPLES_TO_CORRECT = 30;

/** Margins of error by which such a window must be below the baseline. */
const MIN_MARGINS_TO_CORRECT = 1.5;

/** Maximum number of kinds with their own baseline; later ones share one. */
const MAX_KINDS = 64;

/** How long one kind of work takes without load. */
class Baseline {
  /** In milliseconds; 0 while there is no baseline. */
  #rtt = 0;
  #samples = 0;
  #minSamples = MIN_SAMPLES;
  #window = new Mean();

  get rtt(): number {
    return this.#rtt;
  }

  /** Number of samples it averages over. */
  get samples(): number {
    return this.#samples;
  }

  /** The ratio of a round trip to the baseline; undefined while there is none. */
  note(rtt: number): number | undefined {
    this.#window.add(rtt);
    return this.#rtt === 0 ? undefined : rtt / this.#rtt;
  }

  /** Learns the baseline again from the following samples. */
  forget(): void {
    this.#samples = 0;
    this.#minSamples = MIN_SAMPLES_AGAIN;
    this.#rtt = 0;
    this.#window = new Mean();
  }

  /** Updates the baseline from the window: in both directions at low load, only downwards under load. */
  learn(isQuiet: boolean): void {
    const { count, value, margin } = this.#window;
    this.#window = new Mean();
    const mayRise = isQuiet || this.#samples < this.#minSamples;
    const isCorrected =
      count >= MIN_SAMPLES_TO_CORRECT && value + MIN_MARGINS_TO_CORRECT * margin < this.#rtt;
    if (count === 0 || !(mayRise || isCorrected)) return;
    this.#samples = Math.min(this.#samples + count, MAX_SAMPLES);
    this.#rtt += ((value - this.#rtt) * Math.min(count, MAX_SAMPLES)) / this.#samples;
  }

  scale(factor: number): void {
    this.#rtt *= factor;
  }
}

/**
 * The baselines of all kinds of work, kept apart since some take a thousand times as long as others and their mix
 * changes.
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

  note(kind: string | undefined, rtt: number): number | undefined {
    return this.#of(kind).note(rtt);
  }

  learn(isQuiet: boolean): void {
    for (const baseline of this.#kinds.values()) baseline.learn(isQuiet);
  }

  /** Lowers all of them by as much as this work, which was done under less load, took less time. */
  lowerTo(work: readonly Work[]): void {
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
    if (this.#kinds.size > MAX_KINDS && kind !== undefined) return this.#of(undefined);
    const baseline = new Baseline();
    this.#kinds.set(kind, baseline);
    return baseline;
  }
}
