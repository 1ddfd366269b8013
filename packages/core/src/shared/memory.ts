import { type Clock, checkClock, systemClock } from '../clock.ts';
import { Heap } from './heap.ts';
import type { MemoryLease } from './memory-lease.ts';
import { MemoryLimit, type Moment, type Post } from './memory-limit.ts';
import type { LimitName, LimitRef, Op, Reply, StoreListener, StoreStats } from './store.ts';

/** An idle limit is looked for with every operation, so many at a time. */
const sweptAtOnce = 2;

interface Entry {
  readonly address: string;
  readonly ref: LimitName;
  readonly limit: MemoryLimit;
  /** When it is forgotten, unless something is asked of it until then. */
  due: number;
  /** When it is looked at: as it was due when that was last asked. */
  look: number;
}

export interface MemoryOptions {
  /** The time that leases last by. Default: the runtime's own. */
  readonly clock?: Clock | undefined;
}

/**
 * What several memory stores of this process share, as several processes share a server.
 *
 * A limit, or a key of one, costs nothing once nobody has asked for it for twice as long as its longest lease.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #limits = new Map<string, Entry>();
  readonly #idle = new Heap<Entry>(({ look }) => look);
  readonly #listeners = new Map<string, StoreListener>();

  constructor({ clock = systemClock }: MemoryOptions = {}) {
    this.#clock = checkClock(clock);
  }

  /** How many limits, and keys of limits, it remembers. */
  get size(): number {
    return this.#limits.size;
  }

  /** Forgets everything, as a server does that has been restarted. */
  wipe(): void {
    for (const entry of this.#limits.values()) this.#idle.delete(entry);
    this.#limits.clear();
  }

  /** @internal The processes' ends of it; returns what ends it. */
  listen(owner: string, listener: StoreListener): () => void {
    this.#listeners.set(owner, listener);
    this.#later(owner, (told) => told.check());
    return () => {
      if (this.#listeners.get(owner) === listener) this.#listeners.delete(owner);
    };
  }

  /** @internal Of a store whose leases last for so many milliseconds. */
  do(op: Op, lease: number): Reply {
    const moment = this.#moment(lease);
    this.#sweep(moment.now);
    const entry = this.#entry(op.verb === 'setLimit' ? op.ref : op.lease.ref, moment);
    const reply = entry.limit.do(op, moment);
    entry.due = moment.now + 2 * entry.limit.longestLease;
    return reply;
  }

  /** @internal */
  stats(ref: LimitName): StoreStats {
    const moment = this.#moment(0);
    const entry = this.#limits.get(addressOf(ref));
    if (entry !== undefined && entry.due > moment.now) return entry.limit.stats(moment);
    return { limit: 0, version: '', inflight: 0, holders: 0, queued: 0, longestWait: 0 };
  }

  #moment(lease: number): Moment {
    const now = this.#clock.now();
    return { now, micros: Math.floor(now * 1000), lease };
  }

  #entry({ name, key }: LimitRef, { now, micros }: Moment): Entry {
    const address = addressOf({ name, key });
    const known = this.#limits.get(address);
    if (known !== undefined && known.due > now) return known;
    if (known !== undefined) this.#forget(known);
    const ref = { name, key };
    const entry = {
      address,
      ref,
      limit: new MemoryLimit(micros, this.#post(ref)),
      due: 0,
      look: 0,
    };
    this.#limits.set(address, entry);
    this.#idle.add(entry);
    return entry;
  }

  #forget(entry: Entry): void {
    this.#limits.delete(entry.address);
    this.#idle.delete(entry);
  }

  #sweep(now: number): void {
    for (let swept = 0; swept < sweptAtOnce; swept++) {
      const { first } = this.#idle;
      if (first === undefined || first.look > now) return;
      if (first.due <= now) this.#forget(first);
      else {
        first.look = first.due;
        this.#idle.add(first);
      }
    }
  }

  #post(ref: Entry['ref']): Post {
    return {
      granted: ({ id, owner, fencing }: MemoryLease) =>
        this.#later(owner, (listener) => listener.grant({ id, fencing })),
      recall: (owner) => this.#later(owner, (listener) => listener.recall(ref)),
    };
  }

  /** Whoever asks is not called back before it has returned. */
  #later(owner: string, tell: (listener: StoreListener) => void): void {
    queueMicrotask(() => this.#tell(owner, tell));
  }

  #tell(owner: string, tell: (listener: StoreListener) => void): void {
    const listener = this.#listeners.get(owner);
    if (listener !== undefined) tell(listener);
  }
}

/** Different for all different names and keys. */
function addressOf({ name, key }: LimitName): string {
  return key === undefined ? `${name.length}.${name}` : `${name.length}.${name}.${key}`;
}
