import type { Clock, Handle } from '@headgate/core';
import { readOrWarn } from '@headgate/core/metrics';
import { History, MAX_LIMITS } from './history.ts';
import type { Snapshot } from './messages.ts';
import { Processes } from './processes.ts';
import { limitReversions, resumptions } from './reversions.ts';
import { type Row, rowsOfAll } from './rows.ts';

/** Milliseconds between samples. */
const INTERVAL_MS = 1_000;

const PROBLEM = 'the dashboard cannot read its limits';

interface Sampled {
  /** Milliseconds of the clock. */
  readonly at: number;
  readonly rows: readonly Row[];
  /** Whether the rows are those of all limits. */
  readonly isComplete: boolean;
  /** Created for the first viewer. */
  snapshot?: Snapshot;
}

/**
 * Samples the limits once per second, for the history and for all viewers together. Without viewers, it creates no views,
 * queries no stores, and reads no more limits than the history has.
 */
export class Sampler {
  readonly history = new History();
  readonly #processes: Processes;
  readonly #watchers = new Set<(snapshot: Snapshot) => void>();
  #latest: Sampled | undefined;
  #timer: unknown;

  constructor(
    private readonly sources: () => readonly Handle[],
    private readonly clock: Clock,
  ) {
    this.#processes = new Processes(clock);
  }

  /** Samples from now on, until it is closed. */
  start(): void {
    // The timer keeps neither the process alive, nor an app in memory that has dropped its dashboard without closing it.
    const self = new WeakRef(this);
    const tick = () => {
      const sampler = self.deref();
      if (sampler !== undefined) sampler.#tick();
    };
    this.#timer = this.clock.setTimeout(tick, INTERVAL_MS);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  close(): void {
    this.clock.clearTimeout(this.#timer);
  }

  /** Calls back with each sample from now on. Returns a function that ends this. */
  watch(watcher: (snapshot: Snapshot) => void): () => void {
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** The latest sample, which is at most a second old. */
  get current(): Snapshot {
    const latest = this.#latest;
    const isFresh = latest?.isComplete && this.clock.now() - latest.at < INTERVAL_MS;
    const sampled = isFresh ? latest : this.#sample(true);
    sampled.snapshot ??= this.#snapshotOf(sampled);
    return sampled.snapshot;
  }

  #tick(): void {
    this.start();
    this.#sample(this.#watchers.size > 0);
    for (const watcher of [...this.#watchers]) watcher(this.current);
  }

  /** A failing function of the application must not end the process: the page shows the limits known so far. */
  #sample(isViewed: boolean): Sampled {
    const at = Math.round(this.clock.now());
    const read = readOrWarn(this, 'HEADGATE_DASHBOARD_LIMITS', PROBLEM, () => {
      const all = this.sources();
      const sources = isViewed ? all : all.slice(0, MAX_LIMITS);
      return { rows: rowsOfAll(sources), isComplete: sources.length === all.length };
    });
    const { rows, isComplete } = read ?? this.#latest ?? { rows: [], isComplete: true };
    this.history.add(at, rows);
    this.#latest = { at, rows, isComplete };
    return this.#latest;
  }

  #snapshotOf({ at, rows }: Sampled): Snapshot {
    this.#processes.query(rows.flatMap(({ limiter }) => limiter ?? []));
    const limits = rows.map((row) => row.view(row.limiter && this.#processes.of(row.limiter)));
    const [reversions, resumed] = [limitReversions.of(limits), resumptions.of(limits)];
    return { now: at, limits, reversions, resumptions: resumed };
  }
}
