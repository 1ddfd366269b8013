import type { Limiter } from '../limiter/limiter.ts';
import { Durations, type OpenSeries } from './durations.ts';
import { checkMeasurable, duplicate, limitersOf, type Measurable, measure } from './measurable.ts';
import { measurements, type Receive, receiveLimits } from './measurements.ts';

/** What exports the measurements: a meter, or a registry. */
export interface Exporter {
  /** The first limit was added. */
  start(): void;
  /** The last limit was removed: nothing of them may remain. */
  stop(): void;
  readonly open: OpenSeries;
}

type Attach = (limit: Measurable) => () => void;

interface Entry {
  readonly name: string;
  readonly limit: Measurable;
  readonly limiters: readonly Limiter[];
  remove(): void;
}

/** The limits that one meter or registry exports. */
export class MeasuredLimits {
  readonly #entries = new Map<Measurable, Entry>();

  constructor(private readonly exporter: Exporter) {}

  /**
   * Adds limits, and returns a function that removes them. A closed limit is removed by itself, once it is drained and
   * was collected once more.
   *
   * @param attach Adds what else a limit needs, and returns what removes it.
   * @throws HeadgateError for a value that is not a limit, for a limit that was added already, and for two limits of
   *   the same name. It then adds none.
   */
  add(limits: readonly unknown[], attach: Attach = () => () => {}): () => void {
    for (const limit of this.#entries.keys()) this.#removeIfDone(limit);
    const added: Measurable[] = [];
    try {
      for (const limit of limits) {
        this.#add(limit, attach);
        added.push(limit as Measurable);
      }
    } catch (error) {
      for (const limit of added) this.#remove(limit);
      throw error;
    }
    const entries = added.map((limit) => this.#entries.get(limit));
    return () => {
      for (const entry of entries) entry?.remove();
    };
  }

  /** Measures all limits. */
  collect(receive: Receive): void {
    const seen = new Set<Limiter>();
    for (const { limit } of this.#entries.values()) {
      const measured = measure(limit);
      measurements(measured, receive);
      receiveLimits(measured, seen, receive);
      // Not now: the exporter is calling its callbacks, which this may remove.
      if (limit.closed) queueMicrotask(() => this.#removeIfDone(limit));
    }
  }

  #add(limit: unknown, attach: Attach): void {
    checkMeasurable(limit);
    const { name } = limit.stats();
    const limiters = limitersOf(limit);
    this.#checkNames(limit, name, limiters);
    const durations = new Durations(name, this.exporter.open);
    if (this.#entries.size === 0) this.exporter.start();
    const stop = limit.observe(durations.observer);
    const detach = attach(limit);
    const remove = () => {
      if (this.#entries.get(limit) !== entry) return;
      this.#entries.delete(limit);
      stop();
      detach();
      durations.remove();
      if (this.#entries.size === 0) this.exporter.stop();
    };
    const entry = { name, limit, limiters, remove };
    this.#entries.set(limit, entry);
  }

  #checkNames(limit: Measurable, name: string, limiters: readonly Limiter[]): void {
    if (this.#entries.has(limit)) throw duplicate(name, 'add it once');
    for (const entry of this.#entries.values()) {
      if (entry.name === name) throw duplicate(name, 'give the limits different names');
      const known = new Map(entry.limiters.map((limiter) => [limiter.name, limiter]));
      const other = limiters.find((one) => (known.get(one.name) ?? one) !== one);
      if (other !== undefined) throw duplicate(other.name, 'give the limits different names');
    }
  }

  #removeIfDone(limit: Measurable): void {
    if (limit.closed && limit.inflight === 0) this.#remove(limit);
  }

  #remove(limit: Measurable): void {
    this.#entries.get(limit)?.remove();
  }
}
