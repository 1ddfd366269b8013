import { Heap } from '@headgate/core/engine';
import { Counts } from './counts.ts';
import type { MemoryLease } from './memory-lease.ts';

/** Is notified of each changed lease, so that leases can be saved and outlive the process. */
export interface Journal {
  changed(lease: MemoryLease): void;
  removed(id: string): void;
}

/** A lease in a heap, ordered by `due`. */
class HeapEntry {
  due = 0;
  index = -1;

  constructor(readonly lease: MemoryLease) {}
}

/** A lease with its entries in the heaps. */
class IndexedLease {
  readonly expiry: HeapEntry;
  readonly place: HeapEntry;

  constructor(readonly lease: MemoryLease) {
    this.expiry = new HeapEntry(lease);
    this.place = new HeapEntry(lease);
  }
}

/**
 * The leases of one limit, held and queued. Sums are updated with each change, and heaps know which lease is next, so
 * that an operation costs no more with ten thousand waiters than with one.
 */
export class LeaseTable {
  /** Weight held. */
  inflight = 0;
  readonly #leases = new Map<string, IndexedLease>();
  /** Held leases by expiry. */
  readonly #held = new Heap<HeapEntry>();
  /** Queued leases by expiry. */
  readonly #waiting = new Heap<HeapEntry>();
  /** Queued leases by place. */
  readonly #queue = new Heap<HeapEntry>();
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
    return this.#leases.size;
  }

  /** Number of queued leases. */
  get queued(): number {
    return this.#queue.size;
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
    return this.#leases.get(id)?.lease;
  }

  /** All leases, held and queued. */
  all(): readonly MemoryLease[] {
    return [...this.#leases.values()].map(({ lease }) => lease);
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
    const indexed = this.#leases.get(lease.id) as IndexedLease;
    this.#unindex(indexed);
    change();
    this.#index(indexed);
    this.journal?.changed(lease);
  }

  remove(lease: MemoryLease): void {
    this.#unindex(this.#leases.get(lease.id) as IndexedLease);
    this.#leases.delete(lease.id);
    this.#owners.add(lease.owner, -1);
    this.journal?.removed(lease.id);
  }

  #add(lease: MemoryLease): void {
    const indexed = new IndexedLease(lease);
    this.#leases.set(lease.id, indexed);
    this.#owners.add(lease.owner, 1);
    this.#index(indexed);
  }

  #index({ lease, expiry, place }: IndexedLease): void {
    expiry.due = lease.expires;
    if (lease.isHeld) {
      this.#held.add(expiry);
      this.#count(lease, 1);
    } else {
      this.#waiting.add(expiry);
      place.due = lease.place;
      this.#queue.add(place);
    }
  }

  #unindex({ lease, expiry, place }: IndexedLease): void {
    if (lease.isHeld) {
      this.#held.delete(expiry);
      this.#count(lease, -1);
    } else {
      this.#waiting.delete(expiry);
      this.#queue.delete(place);
    }
  }

  #count({ weight, reserves, owner }: MemoryLease, sign: 1 | -1): void {
    this.inflight += sign * weight;
    if (reserves) this.#reserving.add(owner, sign);
  }
}
