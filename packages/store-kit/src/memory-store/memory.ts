import { type Clock, StoreError, systemClock } from '@headgate/core';
import { checkBound, checkClock } from '@headgate/core/engine';
import type { Answer, LimitName, Op, StoreListener, StoreStats } from '../contract.ts';
import { Counts } from './counts.ts';
import { newMemory, pauseLeft } from './limit-memory.ts';
import { MemoryLimit, type Moment, type Notifier } from './memory-limit.ts';

/**
 * Number of limits that each operation examines. An operation adds at most one limit, so every limit is examined in
 * time.
 */
const EXAMINED_LIMITS = 2;

/** A limit, or one key of it. */
interface Entry {
  readonly ref: LimitName;
  readonly limit: MemoryLimit;
  /** When the limit is forgotten, unless it is used before. */
  due: number;
}

export interface MemoryOptions {
  /** Times the leases. Default: the runtime's own. */
  readonly clock?: Clock | undefined;
  /**
   * Maximum number of limits, keys of limits and leases, all together. A limit, with its keys and leases, may use as much
   * as it leaves free, so that it cannot stop the others. To make room, limits and keys without a lease and a pause are
   * forgotten. Operations for which there is still no room are refused. Default: Infinity.
   */
  readonly maxSize?: number | undefined;
}

/**
 * The server side of memory stores. Several stores of this process may share it, as several processes share one server.
 *
 * It forgets a limit, or a key of one, that is not paused and has not been used for twice the duration of its longest
 * lease.
 */
export class Memory {
  readonly #clock: Clock;
  readonly #maxSize: number;
  /** Number of leases of all limits. */
  #leases = 0;
  /** By address, in order of examination: the entry examined longest ago comes first. */
  readonly #limits = new Map<string, Entry>();
  /** The entries without a lease and a pause, the one unused for longest first. */
  readonly #idle = new Set<Entry>();
  /** For each name: the number of its entries and leases. */
  #parts = new Counts();
  /** When the state began, in microseconds. */
  #born: number;
  /** The last token of the limits that were forgotten. */
  #lastToken = 0n;
  readonly #listeners = new Map<string, StoreListener>();

  constructor({ clock = systemClock, maxSize = Infinity }: MemoryOptions = {}) {
    this.#clock = checkClock(clock);
    this.#maxSize = checkBound('maxSize', maxSize);
    this.#born = this.#moment(0).micros;
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
    this.#idle.clear();
    this.#parts = new Counts();
    this.#leases = 0;
    this.#born = this.#moment(0).micros;
    this.#lastToken = 0n;
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
    const known = this.#known(ref, moment.now);
    if (adds(op, known) && !this.#hasRoom(ref.name, known))
      return { error: full(ref.name, this.#maxSize) };
    const entry = known ?? this.#open(ref);
    const reply = this.#using(entry, () => entry.limit.do(op, moment));
    const { memory } = entry.limit;
    entry.due = moment.now + Math.max(2 * memory.longestLease, pauseLeft(memory, moment.now));
    return reply;
  }

  /** @internal */
  stats(ref: LimitName): StoreStats {
    const moment = this.#moment(0);
    const entry = this.#known(ref, moment.now);
    if (entry !== undefined) return this.#using(entry, () => entry.limit.stats(moment));
    const none = { inflight: 0, holders: 0, queued: 0, longestWait: 0, processes: 0 };
    return { limit: 0, version: '', ...none };
  }

  /** @internal The state of each limit, and of each key of it. */
  *all(): Generator<LimitName & StoreStats> {
    const moment = this.#moment(0);
    for (const entry of this.#limits.values()) {
      if (entry.due <= moment.now) continue;
      yield { ...entry.ref, ...this.#using(entry, () => entry.limit.stats(moment)) };
    }
  }

  #moment(leaseDuration: number): Moment {
    const now = this.#clock.now();
    return { now, micros: Math.floor(now * 1000), leaseDuration };
  }

  #known(ref: LimitName, now: number): Entry | undefined {
    const entry = this.#limits.get(addressOf(ref));
    if (entry === undefined || entry.due > now) return entry;
    this.#forget(entry);
    return undefined;
  }

  #open({ name, key }: LimitName): Entry {
    const ref = { name, key };
    // No token is lower than `born`: the leases of a forgotten limit have expired, and their renewals are not restored.
    const memory = { ...newMemory(this.#born), lastToken: this.#lastToken };
    const entry = { ref, limit: new MemoryLimit(this.#notifierOf(ref), memory), due: 0 };
    this.#limits.set(addressOf(ref), entry);
    this.#parts.add(name, 1);
    return entry;
  }

  #forget(entry: Entry): void {
    const { ref, limit } = entry;
    this.#limits.delete(addressOf(ref));
    this.#idle.delete(entry);
    this.#leases -= limit.size;
    this.#parts.add(ref.name, -1 - limit.size);
    const { lastToken } = limit.memory;
    if (lastToken > this.#lastToken) this.#lastToken = lastToken;
  }

  /** Counts the leases that `work` adds and removes. */
  #using<T>(entry: Entry, work: () => T): T {
    const before = entry.limit.size;
    const result = work();
    const { size } = entry.limit;
    this.#leases += size - before;
    this.#parts.add(entry.ref.name, size - before);
    this.#idle.delete(entry);
    const isPaused = pauseLeft(entry.limit.memory, this.#clock.now()) > 0;
    if (size === 0 && !isPaused) this.#idle.add(entry);
    return result;
  }

  /** Whether the limit may add an entry or a lease. If necessary, forgets idle entries, except the one to be used. */
  #hasRoom(name: string, used: Entry | undefined): boolean {
    const fits = () => {
      const free = this.#maxSize - this.size - this.#leases;
      return free > 0 && this.#parts.get(name) <= free;
    };
    for (const entry of this.#idle) {
      if (fits()) return true;
      if (entry !== used) this.#forget(entry);
    }
    return fits();
  }

  /**
   * Examines entries in turn, not by last use: a limit with long leases is due later than others that were used after
   * it.
   */
  #forgetIdle(now: number): void {
    let left = EXAMINED_LIMITS;
    for (const [address, entry] of this.#limits) {
      if (left-- === 0) return;
      if (entry.due > now) {
        this.#limits.delete(address);
        this.#limits.set(address, entry);
      } else this.#forget(entry);
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

/** Whether the operation may add a lease or a limit. */
function adds(op: Op, known: Entry | undefined): boolean {
  if (known === undefined) return true;
  return op.verb !== 'declare' && op.verb !== 'release' && !known.limit.has(op.lease.id);
}

function full(name: string, maxSize: number): StoreError {
  const message = `the store counts at most ${maxSize} limits, keys and leases, and "${name}" has as many as are left`;
  return new StoreError('ERR_HEADGATE_STORE_REFUSED', message);
}

/** An unambiguous string for the name and the key. */
function addressOf({ name, key }: LimitName): string {
  return key === undefined ? `${name.length}.${name}` : `${name.length}.${name}.${key}`;
}
