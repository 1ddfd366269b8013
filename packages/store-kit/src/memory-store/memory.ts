import { type Clock, StoreError, systemClock } from '@headgate/core';
import { checkBound, checkClock } from '@headgate/core/engine';
import type { Answer, LimitName, Op, StoreListener, StoreStats } from '../contract.ts';
import { newMemory } from './limit-memory.ts';
import { MemoryLimit, type Moment, type Notifier } from './memory-limit.ts';

/**
 * Number of limits that each operation examines. An operation adds at most one limit, so every limit is examined in
 * time.
 */
const EXAMINED_LIMITS = 2;

interface Entry {
  readonly limit: MemoryLimit;
  /** When the limit is forgotten, unless it is used before. */
  due: number;
}

export interface MemoryOptions {
  /** Times the leases. Default: the runtime's own. */
  readonly clock?: Clock | undefined;
  /**
   * Maximum number of limits, keys of limits and leases, all together. Operations that would add one are refused.
   * Default: Infinity.
   */
  readonly maxSize?: number | undefined;
}

/**
 * The server side of memory stores. Several stores of this process may share it, as several processes share one server.
 *
 * It forgets a limit, or a key of one, that has not been used for twice the duration of its longest lease.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #maxSize: number;
  /** Number of leases of all limits. */
  #leases = 0;
  /** By address, in order of examination: the entry examined longest ago comes first. */
  readonly #limits = new Map<string, Entry>();
  readonly #listeners = new Map<string, StoreListener>();

  constructor({ clock = systemClock, maxSize = Infinity }: MemoryOptions = {}) {
    this.#clock = checkClock(clock);
    this.#maxSize = checkBound('maxSize', maxSize);
  }

  /** Number of limits, and of keys of limits, in memory. */
  get size(): number {
    return this.#limits.size;
  }

  /** Number of leases in memory, held and queued. Expired ones count until their limit is used, or forgotten. */
  get leases(): number {
    return this.#leases;
  }

  /** Forgets everything, like a restarted server. */
  wipe(): void {
    this.#limits.clear();
    this.#leases = 0;
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
  do(op: Op, leaseDuration: number): Answer {
    const moment = this.#moment(leaseDuration);
    this.#forgetIdle(moment.now);
    const ref = op.verb === 'declare' ? op.ref : op.lease.ref;
    if (this.size + this.#leases >= this.#maxSize && this.#adds(op, ref, moment.now))
      return { error: full(this.#maxSize) };
    const entry = this.#entry(ref, moment);
    const reply = this.#counting(entry.limit, () => entry.limit.do(op, moment));
    entry.due = moment.now + 2 * entry.limit.memory.longestLease;
    return reply;
  }

  #counting<T>(limit: MemoryLimit, work: () => T): T {
    const before = limit.size;
    const result = work();
    this.#leases += limit.size - before;
    return result;
  }

  /** Whether the operation may add a lease or a limit. */
  #adds(op: Op, ref: LimitName, now: number): boolean {
    const entry = this.#limits.get(addressOf(ref));
    if (entry === undefined || entry.due <= now) return true;
    return op.verb !== 'declare' && op.verb !== 'release' && !entry.limit.has(op.lease.id);
  }

  /** @internal */
  stats(ref: LimitName): StoreStats {
    const moment = this.#moment(0);
    const entry = this.#limits.get(addressOf(ref));
    if (entry !== undefined && entry.due > moment.now)
      return this.#counting(entry.limit, () => entry.limit.stats(moment));
    const none = { inflight: 0, holders: 0, queued: 0, longestWait: 0, processes: 0 };
    return { limit: 0, version: '', ...none };
  }

  #moment(leaseDuration: number): Moment {
    const now = this.#clock.now();
    return { now, micros: Math.floor(now * 1000), leaseDuration };
  }

  #entry({ name, key }: LimitName, { now, micros }: Moment): Entry {
    const address = addressOf({ name, key });
    const known = this.#limits.get(address);
    const isKnown = known !== undefined && known.due > now;
    if (known !== undefined && !isKnown) this.#leases -= known.limit.size;
    const entry = isKnown
      ? known
      : { limit: new MemoryLimit(this.#notifierOf({ name, key }), newMemory(micros)), due: 0 };
    this.#limits.set(address, entry);
    return entry;
  }

  /**
   * Examines entries in turn, not by last use: a limit with long leases is due later than others that were used after
   * it.
   */
  #forgetIdle(now: number): void {
    let left = EXAMINED_LIMITS;
    for (const [address, entry] of this.#limits) {
      if (left-- === 0) return;
      this.#limits.delete(address);
      if (entry.due > now) this.#limits.set(address, entry);
      else this.#leases -= entry.limit.size;
    }
  }

  #notifierOf(ref: LimitName): Notifier {
    return {
      granted: ({ id, owner, fencing }) =>
        this.#later(owner, (listener) => listener.grant({ id, fencing })),
      recall: (owner) => this.#later(owner, (listener) => listener.recall(ref)),
      operated: (owners) => {
        for (const owner of owners) this.#later(owner, (listener) => listener.operated?.(ref));
      },
    };
  }

  /** Sends a message in a microtask, so that no store is called back before its own call has returned. */
  #later(owner: string, notify: (listener: StoreListener) => void): void {
    queueMicrotask(() => {
      const listener = this.#listeners.get(owner);
      if (listener !== undefined) notify(listener);
    });
  }
}

function full(maxSize: number): StoreError {
  const message = `the store has ${maxSize} limits and leases, which is its maximum`;
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message);
}

/** An unambiguous string for the name and the key. */
function addressOf({ name, key }: LimitName): string {
  return key === undefined ? `${name.length}.${name}` : `${name.length}.${name}.${key}`;
}
