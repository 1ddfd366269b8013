/** Minimum number of milliseconds between two records. */
const INTERVAL_MS = 2_000;

/** The number of milliseconds that the page shows. It draws one sample for each of them. */
const HISTORY_MS = 300_000;
const SAMPLE_MS = 4_000;

/** Maximum number of semaphores that are recorded: as many as the page shows without a search. */
const MAX_SEMAPHORES = 100;

/** A sample: its time in milliseconds, the counts in use and pending, and the full count. */
type Sample = readonly [at: number, used: number, pending: number, max: number];

interface Counts {
  readonly name: string;
  readonly acquired: bigint;
  readonly pending: bigint;
  readonly max: bigint;
}

/**
 * The last five minutes of the semaphores, so that the page can show them as soon as it is opened. Each operation
 * records the state since the operation before it: nothing has changed in between, so no timer is needed.
 */
export class History {
  readonly #records = new Map<string, Sample[]>();
  #recordedAt = -Infinity;
  /** When the latest operation was. */
  #operatedAt: number | undefined;

  /** Must be called before an operation changes something. */
  record(now: number, semaphores: Iterable<Counts>): void {
    const since = this.#operatedAt ?? now;
    this.#operatedAt = now;
    if (now - this.#recordedAt < INTERVAL_MS) return;
    this.#recordedAt = now;
    const known = new Set<string>();
    for (const { name, acquired, pending, max } of semaphores) {
      if (known.size === MAX_SEMAPHORES) break;
      known.add(name);
      const records = this.#records.get(name) ?? [];
      this.#records.set(name, records);
      records.push([since, Number(acquired), Number(pending), Number(max)]);
      while ((records[1]?.[0] ?? now) < now - HISTORY_MS) records.shift();
    }
    for (const name of this.#records.keys()) if (!known.has(name)) this.#records.delete(name);
  }

  /** The samples that the page draws for a semaphore. They leave no gap, and have their age instead of their time. */
  of(name: string, now: number): Sample[] {
    const records = this.#records.get(name) ?? [];
    return records.flatMap(([at, ...counts], i) => {
      const from = Math.max(at, now - HISTORY_MS);
      const until = records[i + 1]?.[0] ?? now;
      const length = Math.max(0, Math.ceil((until - from) / SAMPLE_MS));
      return Array.from(
        { length },
        (_, step): Sample => [Math.round(now - from - step * SAMPLE_MS), ...counts],
      );
    });
  }
}
