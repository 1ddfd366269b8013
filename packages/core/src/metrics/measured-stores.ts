import { HeadgateError } from '../errors.ts';
import { readStats } from '../read-or-warn.ts';
import { boundedDone } from './closed-entries.ts';
import { attributeNames, metrics } from './definitions.ts';
import type { Attributes, Receive } from './measurements.ts';
import type { StoreActivity } from './store-activity.ts';

/** What metrics need from a store: a `Store` of `@headgate/store-kit`. */
export interface MeasurableStore {
  readonly name: string;
  readonly closed: boolean;
  activity(): StoreActivity;
}

interface Entry {
  readonly name: string;
  readonly store: MeasurableStore;
  readonly all: Attributes;
  readonly down: Attributes;
  readonly muted: Attributes;
  readonly slowed: Attributes;
}

export function isStore(value: unknown): value is MeasurableStore {
  const { name, activity } = (value ?? {}) as Partial<MeasurableStore>;
  return typeof activity === 'function' && typeof name === 'string';
}

/** The stores that one meter or registry exports. */
export class MeasuredStores {
  /** By name. */
  readonly #entries = new Map<string, Entry>();

  /** @param changed Called when a store was added, or removed automatically. */
  constructor(private readonly changed: () => void) {}

  get size(): number {
    return this.#entries.size;
  }

  /**
   * Adds a store, and returns a function that removes it.
   *
   * @throws HeadgateError for a store that was added already, and for two stores of the same name.
   */
  add(store: MeasurableStore): () => void {
    const { name } = store;
    const remove = (entry: Entry) => this.#remove(entry);
    const closed = boundedDone(this.#entries.values(), isClosed, remove);
    for (const entry of closed) if (entry.name === name) remove(entry);
    const same = this.#entries.get(name);
    if (same !== undefined) throw duplicate(name, same.store === store);
    const all = { [attributeNames.store]: name };
    const because = (reason: string) => ({ ...all, [attributeNames.reason]: reason });
    const reasons = { down: because('down'), muted: because('muted'), slowed: because('slowed') };
    const entry = { name, store, all, ...reasons };
    this.#entries.set(name, entry);
    this.changed();
    return () => this.#remove(entry);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#remove(entry);
  }

  collect(receive: Receive): void {
    for (const entry of this.#entries.values()) {
      readStats(entry, `store "${entry.name}"`, () => measure(entry, receive));
      // It is removed later, since the exporter is still calling its callbacks, and removing the store may remove one
      // of them.
      if (isClosed(entry)) queueMicrotask(() => this.#remove(entry));
    }
  }

  #remove(entry: Entry): void {
    const { name } = entry;
    if (this.#entries.get(name) !== entry) return;
    this.#entries.delete(name);
    this.changed();
  }
}

function isClosed({ store }: Entry): boolean {
  return store.closed;
}

function measure({ store, all, down, muted, slowed }: Entry, receive: Receive): void {
  const activity = store.activity();
  receive(metrics.storeImpaired, activity.up ? 0 : 1, down);
  receive(metrics.storeImpaired, activity.muted ? 1 : 0, muted);
  receive(metrics.storeImpaired, activity.slowed ? 1 : 0, slowed);
  receive(metrics.storeCalls, activity.calls, all);
  receive(metrics.storeErrors, activity.errors, all);
  receive(metrics.storeReclaimed, activity.reclaimed, all);
  receive(metrics.storeLost, activity.lost, all);
  const { roundTrip } = activity;
  if (roundTrip !== undefined) receive(metrics.storeLatency, roundTrip / 1000, all);
}

function duplicate(name: string, isSame: boolean): HeadgateError {
  const remedy = isSame ? 'add it once' : 'give the stores different names';
  const message = `a store "${name}" is measured here already: ${remedy}`;
  return new HeadgateError('ERR_HEADGATE_DUPLICATE_NAME', message, 'limit');
}
