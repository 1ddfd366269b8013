import { Estimate } from './estimate.ts';
import { MAX_KINDS, type Sample } from './limit.ts';

/** From this number of samples on, a baseline is used. At the start, it is the work admitted before as many had finished. */
export const MIN_BASELINE = 4;

/** Fewer samples are not representative, even if they hardly differ. */
export const MIN_SAMPLES = 10;

/** Maximum number of samples that a baseline averages over, so that it keeps adapting. */
const MAX_SAMPLES = 1000;

/** Maximum number of first samples, which are sorted again with each. */
const MAX_FIRST = 100;

/** A baseline is certain once its margin of error is this small. */
export const MAX_MARGIN = 0.2;

/** What a window has shown. */
export interface Lesson {
  /** Whether the load was low. */
  readonly isQuiet: boolean;
  /** Whether work was not slow. */
  readonly isFast: boolean;
  /** Whether the limit rises with each request, so that mostly short work has finished. */
  readonly isRising: boolean;
}

/**
 * How long one kind of work takes without load. Averages logarithms, so that a few long durations hardly matter. One is
 * added to each, since some durations are 0.
 */
class Baseline {
  value = new Estimate();
  /** The work that was admitted before the limit rose, by its start. */
  readonly #first: { readonly startedAt: number; readonly value: number }[] = [];
  /** Work that is not part of the baseline yet. */
  recent = new Estimate();

  /** Returns whether work that started later takes longer, so that only the earlier work is the baseline. */
  addFirst({ now, rtt }: Sample): boolean {
    const first = this.#first;
    if (first.length < MAX_FIRST) {
      first.push({ startedAt: now - rtt, value: Math.log1p(rtt) });
      first.sort((one, other) => one.startedAt - other.startedAt);
      this.value = unqueued(first.map(({ value }) => value));
    }
    return this.value.count < first.length;
  }

  /** Under load the baseline only falls, and only if that is more than chance, so that no overload becomes the baseline. */
  learn({ isQuiet, isFast, isRising }: Lesson): void {
    const { value, recent } = this;
    const isCertain = value.count >= MIN_SAMPLES && value.margin <= MAX_MARGIN;
    const mayLearn = isQuiet || value.count < MIN_BASELINE || (!isCertain && isFast && !isRising);
    if (!mayLearn && recent.count < MIN_SAMPLES) return;
    const isLower = value.mean - recent.mean > Math.hypot(value.margin, recent.margin);
    if (mayLearn || (isLower && !isRising)) value.include(recent, MAX_SAMPLES);
    this.recent = new Estimate();
  }

  shift(slowdown: number): void {
    const shifted = new Estimate();
    shifted.include(this.value, MIN_SAMPLES);
    shifted.mean += slowdown;
    this.value = shifted;
  }
}

/** The first half of the work, and so on, while the second half was slower by more than chance: it has queued. */
function unqueued(values: readonly number[]): Estimate {
  const half = values.length >> 1;
  const early = Estimate.of(values.slice(0, half));
  const late = Estimate.of(values.slice(half));
  // Three standard errors, since the test is repeated.
  const chance = 1.5 * Math.hypot(early.margin, late.margin);
  const isQueued = half >= MIN_BASELINE && late.mean - early.mean > chance;
  return isQueued ? unqueued(values.slice(0, half)) : Estimate.of(values);
}

/** The baselines of all kinds of work: some take a thousand times as long as others, and the mix of kinds changes. */
export class Baselines {
  readonly #kinds = new Map<string | undefined, Baseline>();

  /** Mean of all kinds in milliseconds, each weighted by its samples; undefined while there is no baseline. */
  get mean(): number | undefined {
    let [sum, samples] = [0, 0];
    for (const { value } of this.#kinds.values()) {
      sum += Math.expm1(value.mean) * value.count;
      samples += value.count;
    }
    return samples === 0 ? undefined : sum / samples;
  }

  baselineOf(kind: string | undefined): Estimate {
    return this.#of(kind).value;
  }

  add({ kind, rtt }: Sample): void {
    this.#of(kind).recent.add(Math.log1p(rtt));
  }

  /** Adds work that was admitted before the limit rose. Returns whether it has queued nevertheless. */
  addFirst(sample: Sample): boolean {
    return this.#of(sample.kind).addFirst(sample);
  }

  learn(lesson: Lesson): void {
    for (const baseline of this.#kinds.values()) baseline.learn(lesson);
  }

  /** Forgets the work that is not part of a baseline yet. */
  discard(): void {
    for (const baseline of this.#kinds.values()) baseline.recent = new Estimate();
  }

  /** All work takes longer by this slowdown, whatever the load. */
  shift(slowdown: number): void {
    for (const baseline of this.#kinds.values()) baseline.shift(slowdown);
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
