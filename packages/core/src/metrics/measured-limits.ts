import { HeadgateError, invalid } from '../errors.ts';
import type { Handle, Limiter } from '../limiter/limiter.ts';
import type { Stats } from '../limiter/stats.ts';
import { readStats } from '../read-or-warn.ts';
import { boundedDone } from './closed-entries.ts';
import { Durations, type OpenSeries } from './durations.ts';
import { isStore, type MeasurableStore, MeasuredStores } from './measured-stores.ts';
import {
  LimitAttributes,
  limitMeasurements,
  numbersOnly,
  type Receive,
  requestMeasurements,
} from './measurements.ts';

/** Exports the measurements. Implemented by meters and registries. */
export interface Exporter {
  /** Called when the first limit or store was added. */
  start(): void;
  /** Called when the last limit or store was removed. No series of it may remain. */
  stop(): void;
  /** Opens a series: one metric, with the attributes of one limit. */
  readonly open: OpenSeries;
}

type Attach = (limit: Handle) => () => void;

interface Entry {
  readonly limit: Handle;
  readonly attributes: LimitAttributes;
  readonly limiters: readonly Limiter[];
  remove(): void;
}

/** A limiter, and the number of limits that use it. */
interface UsedLimiter {
  readonly limiter: Limiter;
  readonly attributes: LimitAttributes;
  uses: number;
}

/** The limits and stores that one meter or registry exports. */
export class MeasuredLimits {
  /** By name. */
  readonly #entries = new Map<string, Entry>();
  /** Limiters by name. Each is reported once, even if several gates reuse it. */
  readonly #limiters = new Map<string, UsedLimiter>();

  readonly #stores = new MeasuredStores(() => this.#changed());
  #hasStarted = false;

  constructor(private readonly exporter: Exporter) {}

  /**
   * Adds limits and stores, and returns a function that removes them. A closed limit or store is removed automatically,
   * when it has no permits and was collected once more, or when another one needs its name.
   *
   * @param attach Adds further measurements of a limit, and returns a function that removes them.
   * @throws HeadgateError for a value that is neither a limit nor a store, for one that was added already, and for two
   * limits or two stores of the same name. It then adds none.
   */
  add(limits: readonly unknown[], attach: Attach = () => () => {}): () => void {
    const done = boundedDone(this.#entries.values(), isDone, (entry) => entry.remove());
    const added: (() => void)[] = [];
    const remove = () => {
      for (const removeOne of added.splice(0)) removeOne();
    };
    try {
      for (const one of limits) {
        added.push(isStore(one) ? this.#stores.add(one) : this.#add(one, attach, done).remove);
      }
    } catch (error) {
      remove();
      throw error;
    }
    return remove;
  }

  /** Removes all limits and stores. */
  clear(): void {
    for (const entry of [...this.#entries.values()]) entry.remove();
    this.#stores.clear();
  }

  /** Measures all limits and stores. If one throws, only its series are missing. */
  collect(receive: Receive): void {
    const receiveNumber = numbersOnly(receive);
    this.#stores.collect(receiveNumber);
    const measured = new Set<UsedLimiter>();
    for (const entry of this.#entries.values()) {
      const stats = requestsOf(entry, receiveNumber);
      const limits = stats && (stats.limits ?? [stats]);
      for (const { name } of entry.limiters) {
        const used = this.#limiters.get(name);
        if (used === undefined || measured.has(used)) continue;
        measured.add(used);
        const own = limits?.find((each) => each.name === name);
        // If the statistics of its gate cannot be read, a limiter reports its own. A limiter that has thrown is not
        // read again.
        if (own === undefined && used.limiter === entry.limit) continue;
        readStats(used, `limiter "${name}"`, () => {
          limitMeasurements(own ?? used.limiter.stats(), used.attributes, receiveNumber);
        });
      }
      // It is removed later, since the exporter is still calling its callbacks, and removing the limit may remove one
      // of them.
      if (isDone(entry)) queueMicrotask(() => entry.remove());
    }
  }

  #add(limit: unknown, attach: Attach, done: readonly Entry[]): Entry {
    checkMeasurable(limit);
    const { name } = limit;
    const limiters = Object.values(limit.limiters);
    // The last counts of these limits are lost.
    for (const entry of done) if (hasNameOf(entry, name, limiters)) entry.remove();
    this.#checkNames(limit, limiters);
    const attributes = new LimitAttributes(name);
    const durations = new Durations(attributes, this.exporter.open);
    const stop = limit.observe(durations.observer);
    const detach = attach(limit);
    const remove = () => {
      if (!this.#forget(name, entry)) return;
      stop();
      detach();
      durations.remove();
      this.#changed();
    };
    const entry = { limit, attributes, limiters, remove };
    this.#entries.set(name, entry);
    for (const limiter of limiters) this.#use(limiter);
    this.#changed();
    return entry;
  }

  #changed(): void {
    const isUsed = this.#entries.size + this.#stores.size > 0;
    if (isUsed === this.#hasStarted) return;
    this.#hasStarted = isUsed;
    if (isUsed) this.exporter.start();
    else this.exporter.stop();
  }

  #use(limiter: Limiter): void {
    const { name } = limiter;
    const used = this.#limiters.get(name);
    if (used !== undefined) used.uses++;
    else this.#limiters.set(name, { limiter, attributes: new LimitAttributes(name), uses: 1 });
  }

  /** Returns whether the entry was known. */
  #forget(name: string, entry: Entry): boolean {
    if (this.#entries.get(name) !== entry) return false;
    this.#entries.delete(name);
    for (const limiter of entry.limiters) {
      const used = this.#limiters.get(limiter.name);
      if (used !== undefined && --used.uses === 0) this.#limiters.delete(limiter.name);
    }
    return true;
  }

  #checkNames(limit: Handle, limiters: readonly Limiter[]): void {
    const { name } = limit;
    const same = this.#entries.get(name);
    if (same?.limit === limit) throw duplicate(name, 'add it once');
    if (same?.limiters.some((limiter) => limiters.includes(limiter)))
      throw duplicate(name, 'add the limiter that both use, instead of them');
    if (same !== undefined) throw duplicate(name, 'give the limits different names');
    for (const limiter of limiters) {
      const used = this.#limiters.get(limiter.name);
      if (used === undefined || used.limiter === limiter) continue;
      throw duplicate(limiter.name, 'give the limits different names');
    }
  }
}

/** Measures the requests and returns the statistics. Returns undefined on failure. */
function requestsOf(entry: Entry, receive: Receive): Stats | undefined {
  const { limit, attributes } = entry;
  return readStats(entry, `limit "${limit.name}"`, () => {
    const stats = limit.stats();
    requestMeasurements(stats, attributes, receive);
    return stats;
  });
}

/** Whether the entry must be removed before a limit with this name and these limiters can be added. */
function hasNameOf(entry: Entry, name: string, limiters: readonly Limiter[]): boolean {
  const isOther = (own: Limiter) => (one: Limiter) => one !== own && one.name === own.name;
  return entry.limit.name === name || entry.limiters.some((own) => limiters.some(isOther(own)));
}

/** Whether its counts can no longer change. */
function isDone({ limit }: Entry): boolean {
  return limit.closed && limit.holders === 0;
}

/** What can be measured: a limiter, a gate, a middleware, or a store. */
export type Measurable = Handle | MeasurableStore;

/** @throws HeadgateError for a value that is not a limit. */
function checkMeasurable(value: unknown): asserts value is Handle {
  const { observe, stats, limiters } = (value ?? {}) as Partial<Handle>;
  if (typeof observe === 'function' && typeof stats === 'function' && limiters) return;
  throw invalid('limit', 'a limiter, a gate, a middleware or a store', value);
}

function duplicate(name: string, remedy: string): HeadgateError {
  const message = `a limit "${name}" is measured here already: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'limit');
}
