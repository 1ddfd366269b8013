import { Heap } from '@headgate/core/engine';
import { Counts } from './counts.ts';
import type { MemoryLease } from './memory-lease.ts';

/** Is notified of each changed lease, so that leases can be saved and outlive the process. */
export interface Journal {
  changed(lease: MemoryLease): void;
  removed(id: string): void;
}

/** A lease in a heap. */
class Entry {
  due = 0;
  index = -1;

  constructor(readonly lease: MemoryLease) {}
}

/** A lease, by its expiry and by its place in the queue. */
class Row {
  readonly expiry: Entry;
  readonly turn: Entry;

  constructor(readonly lease: MemoryLease) {
    this.expiry = new Entry(lease);
    this.turn = new Entry(lease);
  }
}

/**
 * The leases of one limit, held and queued. Sums are updated with each change, and heaps know which lease is next, so
 * that an operation costs no more with ten thousand waiters than with one.
 */
export class LeaseTable {
  /** Weight held. */
  inflight = 0;
  /** Number of queued leases. */
  queued = 0;
  readonly #rows = new Map<string, Row>();
  /** Held leases by expiry. */
  readonly #held = new Heap<Entry>();
  /** Queued leases by expiry. */
  readonly #waiting = new Heap<Entry>();
  /** Queued leases by place. */
  readonly #queue = new Heap<Entry>();
  readonly #owners = new Counts();
  /** For each process: the number of its held leases that it may keep idle. */
  readonly #reserving = new Counts();

  constructor(
    private readonly journal: Journal | undefined,
    leases: Iterable<MemoryLease> = [],
  ) {
    for (const lease of leases) this.#add(lease);
  }

  get size(): number {
    return this.#rows.size;
  }

  /** The first lease in the queue. */
  get first(): MemoryLease | undefined {
    return this.#queue.first?.lease;
  }

  /** The processes that may keep leases idle. */
  get reserving(): Iterable<string> {
    return this.#reserving.names();
  }

  /** The processes with leases. */
  get owners(): readonly string[] {
    return this.#owners.names();
  }

  /** When the next held lease expires; Infinity without one. */
  get nextHeldExpiry(): number {
    return this.#held.first?.due ?? Infinity;
  }

  /** When the next lease expires; Infinity without leases. */
  get nextExpiry(): number {
    return Math.min(this.nextHeldExpiry, this.#waiting.first?.due ?? Infinity);
  }

  get(id: string): MemoryLease | undefined {
    return this.#rows.get(id)?.lease;
  }

  /** All leases, held and queued. */
  all(): readonly MemoryLease[] {
    return [...this.#rows.values()].map(({ lease }) => lease);
  }

  /** A lease that has expired by `now`, if any. */
  expired(now: number): MemoryLease | undefined {
    if (this.nextExpiry > now) return undefined;
    return (this.nextHeldExpiry <= now ? this.#held : this.#waiting).first?.lease;
  }

  add(lease: MemoryLease): void {
    this.#add(lease);
    this.journal?.changed(lease);
  }

  /** Changes a lease in the table, which may grant it. */
  change(lease: MemoryLease, change: () => void): void {
    const row = this.#rows.get(lease.id) as Row;
    this.#unindex(row);
    change();
    this.#index(row);
    this.journal?.changed(lease);
  }

  remove(lease: MemoryLease): void {
    this.#unindex(this.#rows.get(lease.id) as Row);
    this.#rows.delete(lease.id);
    this.#owners.add(lease.owner, -1);
    this.journal?.removed(lease.id);
  }

  #add(lease: MemoryLease): void {
    const row = new Row(lease);
    this.#rows.set(lease.id, row);
    this.#owners.add(lease.owner, 1);
    this.#index(row);
  }

  #index({ lease, expiry, turn }: Row): void {
    expiry.due = lease.expires;
    if (lease.isHeld) {
      this.#held.add(expiry);
      this.#count(lease, 1);
    } else {
      this.#waiting.add(expiry);
      turn.due = lease.place;
      this.#queue.add(turn);
      this.queued += 1;
    }
  }

  #unindex({ lease, expiry, turn }: Row): void {
    if (lease.isHeld) {
      this.#held.delete(expiry);
      this.#count(lease, -1);
    } else {
      this.#waiting.delete(expiry);
      this.#queue.delete(turn);
      this.queued -= 1;
    }
  }

  #count({ weight, reserves, owner }: MemoryLease, sign: 1 | -1): void {
    this.inflight += sign * weight;
    if (reserves) this.#reserving.add(owner, sign);
  }
}
