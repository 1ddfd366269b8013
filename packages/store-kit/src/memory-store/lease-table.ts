import type { MemoryLease } from './memory-lease.ts';

/** Is notified of each changed lease, so that leases can be saved and outlive the process. */
export interface Journal {
  changed(lease: MemoryLease): void;
  removed(id: string): void;
}

/** The leases of one limit, held and queued. */
export class LeaseTable {
  /** Weight held. */
  inflight = 0;
  readonly #leases = new Map<string, MemoryLease>();
  /** Sorted by place. */
  readonly #queue: MemoryLease[] = [];
  /** For each process: the number of its held leases that it may keep idle. */
  readonly #reserving = new Map<string, number>();

  constructor(
    private readonly journal: Journal | undefined,
    leases: Iterable<MemoryLease> = [],
  ) {
    for (const lease of leases) this.#add(lease);
  }

  get size(): number {
    return this.#leases.size;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** The first lease in the queue. */
  get first(): MemoryLease | undefined {
    return this.#queue[0];
  }

  /** The processes that may keep leases idle. */
  get reserving(): Iterable<string> {
    return this.#reserving.keys();
  }

  /** The processes with leases. */
  get owners(): Set<string> {
    return new Set([...this.#leases.values()].map(({ owner }) => owner));
  }

  get(id: string): MemoryLease | undefined {
    return this.#leases.get(id);
  }

  /** All leases. A lease removed during the iteration is skipped. */
  values(): Iterable<MemoryLease> {
    return this.#leases.values();
  }

  /** Adds a lease. If it is not held, inserts it into the queue at its place. */
  add(lease: MemoryLease): void {
    this.#add(lease);
    this.journal?.changed(lease);
  }

  /** Changes a lease in the table. */
  change(lease: MemoryLease, change: () => void): void {
    if (lease.isHeld) this.#count(lease, -1);
    change();
    if (lease.isHeld) this.#count(lease, 1);
    this.journal?.changed(lease);
  }

  /** Removes a lease that is now held from the queue. */
  dequeue(lease: MemoryLease): void {
    const index = this.#queue.indexOf(lease);
    if (index >= 0) this.#queue.splice(index, 1);
  }

  remove(lease: MemoryLease): void {
    this.#leases.delete(lease.id);
    this.dequeue(lease);
    if (lease.isHeld) this.#count(lease, -1);
    this.journal?.removed(lease.id);
  }

  #add(lease: MemoryLease): void {
    this.#leases.set(lease.id, lease);
    if (lease.isHeld) this.#count(lease, 1);
    else {
      const ahead = this.#queue.findLastIndex((other) => other.place <= lease.place);
      this.#queue.splice(ahead + 1, 0, lease);
    }
  }

  #count({ weight, reserves, owner }: MemoryLease, sign: 1 | -1): void {
    this.inflight += sign * weight;
    if (!reserves) return;
    const count = (this.#reserving.get(owner) ?? 0) + sign;
    if (count === 0) this.#reserving.delete(owner);
    else this.#reserving.set(owner, count);
  }
}
