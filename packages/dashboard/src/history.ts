import type { LimitView } from './view.ts';

/** Milliseconds of history that the page shows. */
const HISTORY_MS = 300_000;

/** When, in milliseconds; in use; queued; limit (0 for a gate); rejected since the start. */
export type Sample = readonly [
  at: number,
  used: number,
  queued: number,
  limit: number,
  rejected: number,
];

/** The samples of the last five minutes, by the id of their limit. */
export class History {
  readonly #samples = new Map<number, Sample[]>();

  add(at: number, views: readonly LimitView[]): void {
    for (const { id, inflight, queued, limit = 0, rejected } of views) {
      const samples = this.#samples.get(id) ?? [];
      this.#samples.set(id, samples);
      const sum = Object.values(rejected).reduce((total, count) => total + count, 0);
      samples.push([at, inflight, queued, limit, sum]);
    }
    for (const [id, samples] of this.#samples) {
      while (samples[0] !== undefined && samples[0][0] < at - HISTORY_MS) samples.shift();
      if (samples.length === 0) this.#samples.delete(id);
    }
  }

  /** The samples of these limits that are newer than `after`. */
  since(after: number, views: readonly LimitView[]): Record<number, readonly Sample[]> {
    return Object.fromEntries(
      views.map(({ id }) => [id, (this.#samples.get(id) ?? []).filter(([at]) => at > after)]),
    );
  }
}
