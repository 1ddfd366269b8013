import type { Figures } from './figures.ts';

/** Samples kept of each limit: five minutes, at one per second. */
const LENGTH = 300;

/** Milliseconds of history that the page shows. */
const HISTORY_MS = 300_000;

/** Maximum number of limits with a history, of 12 kB each. */
export const MAX_LIMITS = 1_000;

/** Maximum number of samples in one message. That is enough for all samples of about 40 limits. */
const MAX_SAMPLES = 12_000;

/** A time in milliseconds, and what the chart shows for it. */
export type Sample = readonly [at: number, ...figures: Figures];

/** What is sampled of a limit. */
interface Sampled {
  readonly id: number;
  readonly sample: Figures;
}

/** Numbers per sample, without its time. */
const WIDTH = 5;

/**
 * The latest samples of each limit, by its id, in arrays of a fixed size: new objects each second would burden the
 * garbage collector.
 */
export class History {
  /** When each slot was sampled. */
  readonly #times = new Float64Array(LENGTH);
  /** Ring buffers. NaN: the limit was not sampled. */
  readonly #rings = new Map<number, Float64Array>();
  #count = 0;

  /** Adds a sample of each limit, and forgets the limits that are gone. */
  add(at: number, limits: readonly Sampled[]): void {
    const slot = this.#count++ % LENGTH;
    this.#times[slot] = at;
    const known = new Set(limits.map(({ id }) => id));
    for (const id of this.#rings.keys()) if (!known.has(id)) this.#rings.delete(id);
    for (const { id, sample } of limits) this.#ringOf(id)?.set(sample, slot * WIDTH);
  }

  /**
   * The samples of these limits that are newer than `after`. If there are many limits, fewer samples of each, so that
   * all limits can be sent.
   */
  since(after: number, limits: readonly Sampled[]): Record<number, readonly Sample[]> {
    const count = Math.max(2, Math.floor(MAX_SAMPLES / limits.length));
    const slots = this.#slotsSince(after);
    return Object.fromEntries(
      limits.map(({ id, sample }) => {
        const newer = this.#samplesOf(id, slots) ?? [[this.#latest, ...sample] as const];
        return [id, newer.length > count ? thinned(newer, count) : newer];
      }),
    );
  }

  get #latest(): number {
    return this.#times[(this.#count - 1) % LENGTH] ?? 0;
  }

  #ringOf(id: number): Float64Array | undefined {
    const known = this.#rings.get(id);
    if (known !== undefined || this.#rings.size === MAX_LIMITS) return known;
    const ring = new Float64Array(LENGTH * WIDTH).fill(Number.NaN);
    this.#rings.set(id, ring);
    return ring;
  }

  /** From the oldest to the newest. */
  #slotsSince(after: number): number[] {
    const from = Math.max(after, this.#latest - HISTORY_MS - 1);
    const slots: number[] = [];
    for (let index = Math.max(0, this.#count - LENGTH); index < this.#count; index++) {
      const slot = index % LENGTH;
      if ((this.#times[slot] as number) > from) slots.push(slot);
    }
    return slots;
  }

  /** Undefined for a limit beyond the maximum. */
  #samplesOf(id: number, slots: readonly number[]): Sample[] | undefined {
    const ring = this.#rings.get(id);
    return (
      ring &&
      slots.flatMap((slot) => {
        const figures = ring.subarray(slot * WIDTH, (slot + 1) * WIDTH);
        return Number.isNaN(figures[0])
          ? []
          : [[this.#times[slot], ...figures] as unknown as Sample];
      })
    );
  }
}

/**
 * Keeps the first sample, from which rejections are counted. Divides the others into parts, and keeps the highest of
 * each.
 */
function thinned(samples: readonly Sample[], count: number): readonly Sample[] {
  const [first, ...others] = samples as [Sample, ...Sample[]];
  const part = others.length / (count - 1);
  const highest = Array.from({ length: count - 1 }, (_, i) =>
    others
      .slice(Math.round(i * part), Math.round((i + 1) * part))
      .reduce((best, sample) => (demandOf(sample) >= demandOf(best) ? sample : best)),
  );
  return [first, ...highest];
}

function demandOf([, used, queued]: Sample): number {
  return used + queued;
}
