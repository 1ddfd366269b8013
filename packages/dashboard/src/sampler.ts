import type { Clock, Handle } from '@headgate/core';
import { readOrWarn } from '@headgate/core/metrics';
import { History } from './history.ts';
import type { Snapshot } from './messages.ts';
import { Processes } from './processes.ts';
import { limitReversions, resumptions } from './reversions.ts';
import { viewsOfAll } from './rows.ts';
import { limitersOf } from './sources.ts';
import type { LimitView } from './view.ts';

/** Milliseconds between samples. */
const INTERVAL_MS = 1_000;

/** A page that polls counts as a viewer for this long, in milliseconds. */
const POLLING_MS = 5_000;

const PROBLEM = 'the dashboard cannot read its limits';

/** Samples the limits once per second for all viewers together. Without viewers, it does not sample. */
export class Sampler {
  readonly history = new History();
  readonly #processes: Processes;
  readonly #watchers = new Set<(snapshot: Snapshot) => void>();
  #latest: Snapshot | undefined;
  #polledAt = -Infinity;
  #timer: unknown;

  constructor(
    private readonly sources: () => readonly Handle[],
    private readonly clock: Clock,
  ) {
    this.#processes = new Processes(clock);
  }

  /** Calls back with each sample from now on. Returns a function that ends this. */
  watch(watcher: (snapshot: Snapshot) => void): () => void {
    this.#watchers.add(watcher);
    this.#start();
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  /** Returns the latest sample, which is at most a second old. */
  poll(): Snapshot {
    this.#polledAt = this.clock.now();
    this.#start();
    return this.current;
  }

  get current(): Snapshot {
    const now = this.clock.now();
    const latest = this.#latest;
    return latest !== undefined && now - latest.now < INTERVAL_MS ? latest : this.#sample();
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = this.clock.setTimeout(() => this.#tick(), INTERVAL_MS);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  #tick(): void {
    this.#timer = undefined;
    const isPolled = this.clock.now() - this.#polledAt < POLLING_MS;
    if (this.#watchers.size === 0 && !isPolled) return;
    this.#start();
    const snapshot = this.#sample();
    for (const watcher of [...this.#watchers]) watcher(snapshot);
  }

  #sample(): Snapshot {
    const now = Math.round(this.clock.now());
    const limits = this.#read();
    this.history.add(now, limits);
    const [reversions, resumed] = [limitReversions.of(limits), resumptions.of(limits)];
    this.#latest = { now, limits, reversions, resumptions: resumed };
    return this.#latest;
  }

  /** A failing function of the application must not end the process: the page shows the limits known so far. */
  #read(): readonly LimitView[] {
    const views = readOrWarn(this, 'HEADGATE_DASHBOARD_LIMITS', PROBLEM, () => {
      const sources = this.sources();
      this.#processes.query(sources.flatMap(limitersOf));
      return viewsOfAll(sources, (limiter) => this.#processes.of(limiter));
    });
    return views ?? this.#latest?.limits ?? [];
  }
}
