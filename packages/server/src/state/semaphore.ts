import type { Acquired } from './refusal.ts';

/** A semaphore's full count and level. */
export interface SemaphoreSettings {
  /** The maximum total count of acquired locks. 0 closes the semaphore. */
  readonly max: bigint;
  /** A peer that holds a lock may only acquire locks of lower levels. */
  readonly level: number;
}

/** A pending lock, linked into its semaphore's queue. */
export class PendingLock {
  previous: PendingLock | undefined = undefined;
  next: PendingLock | undefined = undefined;

  constructor(
    readonly peer: Peer,
    readonly semaphore: Semaphore,
    readonly count: bigint,
    /** When it was enqueued. */
    readonly since: number,
  ) {}
}

/**
 * A counting semaphore with a FIFO queue. It updates its totals at each change, instead of computing them on demand.
 */
export class Semaphore {
  max: bigint;
  level: number;
  acquired = 0n;
  pending = 0n;
  /** The number of pending locks. */
  queued = 0;
  /** The peers that hold a lock, and when each acquired it. */
  readonly holders = new Map<Peer, number>();
  /** Whether it is no longer configured. It is removed once it has neither holders nor pending locks. */
  retired = false;
  #first: PendingLock | undefined;
  #last: PendingLock | undefined;

  constructor(
    readonly name: string,
    { max, level }: SemaphoreSettings,
  ) {
    this.max = max;
    this.level = level;
  }

  configure({ max, level }: SemaphoreSettings): void {
    this.max = max;
    this.level = level;
    this.retired = false;
  }

  /** The count that is free. Negative after a restore beyond the full count, or after the full count was lowered. */
  get remainder(): bigint {
    return this.max - this.acquired;
  }

  get isIdle(): boolean {
    return this.acquired === 0n && this.#first === undefined;
  }

  /** When the first pending lock was enqueued. */
  get pendingSince(): number | undefined {
    return this.#first?.since;
  }

  enqueue(lock: PendingLock): void {
    lock.previous = this.#last;
    if (this.#last === undefined) this.#first = lock;
    else this.#last.next = lock;
    this.#last = lock;
    this.pending += lock.count;
    this.queued += 1;
  }

  remove(lock: PendingLock): void {
    const { previous, next } = lock;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    this.pending -= lock.count;
    this.queued -= 1;
  }

  /** The pending locks, in order of arrival. */
  *queue(): Generator<PendingLock> {
    for (let lock = this.#first; lock !== undefined; lock = lock.next) yield lock;
  }

  /** Records a held lock, even beyond the full count. */
  hold(peer: Peer, count: bigint, now: number): void {
    peer.acquired.set(this, count);
    this.holders.set(peer, now);
    this.acquired += count;
  }

  /** Returns false if the peer did not hold it. */
  release(peer: Peer): boolean {
    const count = peer.acquired.get(this);
    if (count === undefined) return false;
    peer.acquired.delete(this);
    this.holders.delete(peer);
    this.acquired -= count;
    return true;
  }

  /**
   * Dequeues and grants the pending locks that fit. Stops at the first that does not fit, so that smaller requests
   * cannot starve a large one. But if its count exceeds a full count that was lowered, it is skipped, and stays queued
   * until the full count is raised.
   */
  *grantFitting(now: number): Generator<PendingLock> {
    for (let lock = this.#first; lock !== undefined; lock = lock.next) {
      if (lock.count > this.max) continue;
      if (lock.count > this.remainder) return;
      this.remove(lock);
      this.hold(lock.peer, lock.count, now);
      yield lock;
    }
  }
}

/** A client's session. It holds locks and has at most one pending lock. When it ends, they end too. */
export class Peer {
  readonly acquired = new Map<Semaphore, bigint>();
  pending: PendingLock | undefined = undefined;
  /** The blocked requests, which are answered once this peer has no pending lock. */
  readonly waits = new Set<Wait>();

  constructor(
    readonly id: bigint,
    public validUntil: number,
  ) {}

  /** The count of this semaphore that the peer holds or has requested. */
  demand(semaphore: Semaphore): bigint | undefined {
    if (this.pending?.semaphore === semaphore) return this.pending.count;
    return this.acquired.get(semaphore);
  }

  /** The lowest level of the semaphores it holds. */
  get level(): number | undefined {
    let lowest: number | undefined;
    for (const { level } of this.acquired.keys()) {
      if (lowest === undefined || level < lowest) lowest = level;
    }
    return lowest;
  }

  /**
   * Releases all its locks and withdraws the pending one. Returns the semaphores that may be able to grant locks now.
   */
  releaseAll(): Semaphore[] {
    const semaphores = [...this.acquired.keys()];
    for (const semaphore of semaphores) semaphore.release(this);
    if (this.pending !== undefined) semaphores.push(this.pending.semaphore);
    this.withdraw();
    return semaphores;
  }

  /** Withdraws the pending lock. Does not serve the queue, since the caller may remove more locks first. */
  withdraw(): void {
    this.pending?.semaphore.remove(this.pending);
    this.pending = undefined;
  }

  /** Whether it holds exactly these locks. */
  holds(locks: ReadonlyMap<Semaphore, bigint>): boolean {
    if (locks.size !== this.acquired.size) return false;
    for (const [semaphore, count] of locks) {
      if (this.acquired.get(semaphore) !== count) return false;
    }
    return true;
  }
}

/** A blocked request. It is answered when its peer has no pending lock any more, or when its own time has elapsed. */
export class Wait {
  constructor(
    readonly peer: Peer,
    readonly semaphore: Semaphore,
    readonly until: number,
    /** Called once, during a state change, so it must not call the state. */
    readonly settle: (answer: Acquired) => void,
  ) {}
}
