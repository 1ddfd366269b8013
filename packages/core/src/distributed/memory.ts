import { type Clock, checkClock, systemClock } from '../clock.ts';
import type { LimitName, LimitRef, Op, Reply, StoreListener, StoreStats } from './contract.ts';
import { Heap } from './heap.ts';
import type { MemoryLease } from './memory-lease.ts';
import { MemoryLimit, type Moment, type Post } from './memory-limit.ts';

/** Maximum number of limits that each operation checks for idleness. */
const MAX_CHECKED_LIMITS = 2;

interface Entry {
  readonly address: string;
  readonly ref: LimitName;
  readonly limit: MemoryLimit;
  /** When the limit is forgotten, unless there is an operation on it until then. */
  due: number;
  /** When idleness is checked: an earlier value of `due`, which is updated lazily. */
  look: number;
}

export interface MemoryOptions {
  /** Times the leases. Default: the runtime's own. */
  readonly clock?: Clock | undefined;
}

/**
 * The server side of several memory stores in this process, which use it as several processes use one server.
 *
 * A limit, or a key of one, is forgotten when it has not been used for twice the duration of its longest lease.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #limits = new Map<string, Entry>();
  readonly #idle = new Heap<Entry>(({ look }) => look);
  readonly #listeners = new Map<string, StoreListener>();

  constructor({ clock = systemClock }: MemoryOptions = {}) {
    this.#clock = checkClock(clock);
  }

  /** Number of limits, and of keys of limits, in memory. */
  get size(): number {
    return this.#limits.size;
  }

  /** Forgets everything, like a restarted server. */
  wipe(): void {
    for (const entry of this.#limits.values()) this.#idle.delete(entry);
    this.#limits.clear();
  }

  /** @internal Subscribes a store; returns a function that unsubscribes it. */
  listen(owner: string, listener: StoreListener): () => void {
    this.#listeners.set(owner, listener);
    this.#later(owner, (listener) => listener.check());
    return () => {
      if (this.#listeners.get(owner) === listener) this.#listeners.delete(owner);
    };
  }

  /** @internal Executes an operation of a store with this lease duration in milliseconds. */
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
    for (let swept = 0; swept < MAX_CHECKED_LIMITS; swept++) {
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

  /** Sends messages later, so that no caller is called back before its own call has returned. */
  #later(owner: string, notify: (listener: StoreListener) => void): void {
    queueMicrotask(() => this.#tell(owner, notify));
  }

  #tell(owner: string, notify: (listener: StoreListener) => void): void {
    const listener = this.#listeners.get(owner);
    if (listener !== undefined) notify(listener);
  }
}

/** An unambiguous string for a name and a key. */
function addressOf({ name, key }: LimitName): string {
  return key === undefined ? `${name.length}.${name}` : `${name.length}.${name}.${key}`;
}
