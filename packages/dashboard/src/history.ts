import type { Figures, LimitView } from './view.ts';

/** Milliseconds of history that the page shows. */
const HISTORY_MS = 300_000;

/** Maximum number of samples in one message. That is enough for all samples of about 40 limits. */
const MAX_SAMPLES = 12_000;

/** A time in milliseconds, and what the chart shows for it. */
export type Sample = readonly [at: number, ...figures: Figures];

/** The samples of the last five minutes, by the id of their limit. */
export class History {
  readonly #samples = new Map<number, Sample[]>();

  add(at: number, views: readonly LimitView[]): void {
    for (const { id, sample } of views) {
      const samples = this.#samples.get(id) ?? [];
      this.#samples.set(id, samples);
      samples.push([at, ...sample]);
    }
    for (const [id, samples] of this.#samples) {
      while (samples[0] !== undefined && samples[0][0] < at - HISTORY_MS) samples.shift();
      if (samples.length === 0) this.#samples.delete(id);
    }
  }

  /**
   * The samples of these limits that are newer than `after`. If there are many limits, fewer samples of each, so that
   * all limits can be sent.
   */
  since(after: number, views: readonly LimitView[]): Record<number, readonly Sample[]> {
    const count = Math.max(2, Math.floor(MAX_SAMPLES / views.length));
    return Object.fromEntries(
      views.map(({ id }) => {
        const samples = this.#samples.get(id) ?? [];
        const newer = samples.filter(([at]) => at > after);
        return [id, newer.length > count ? thinned(newer, count) : newer];
      }),
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
