import { type Clock, systemClock } from '@headgate/core';
import { checkClock } from '@headgate/core/engine';
import type { LimitName, Op, Reply, StoreListener, StoreStats } from '../contract.ts';
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
}

/**
 * The server side of memory stores. Several stores of this process may share it, as several processes share one server.
 *
 * It forgets a limit, or a key of one, that has not been used for twice the duration of its longest lease.
 */
export class Memory {
  readonly #clock: Clock;
  /** By address, in order of examination: the entry examined longest ago comes first. */
  readonly #limits = new Map<string, Entry>();
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
  do(op: Op, leaseDuration: number): Reply {
    const moment = this.#moment(leaseDuration);
    this.#forgetIdle(moment.now);
    const entry = this.#entry(op.verb === 'declare' ? op.ref : op.lease.ref, moment);
    const reply = entry.limit.do(op, moment);
    entry.due = moment.now + 2 * entry.limit.memory.longestLease;
    return reply;
  }

  /** @internal */
  stats(ref: LimitName): StoreStats {
    const moment = this.#moment(0);
    const entry = this.#limits.get(addressOf(ref));
    if (entry !== undefined && entry.due > moment.now) return entry.limit.stats(moment);
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

/** An unambiguous string for the name and the key. */
function addressOf({ name, key }: LimitName): string {
  return key === undefined ? `${name.length}.${name}` : `${name.length}.${name}.${key}`;
}
