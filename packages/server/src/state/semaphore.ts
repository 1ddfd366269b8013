import type { Peer } from './peer.ts';

/** How much of something there is, and where it stands in the order of locks. */
export interface SemaphoreSettings {
  /** The most count that is acquired at once; 0 closes it. */
  readonly max: bigint;
  /** Who holds a lock may only acquire locks of lower levels. */
  readonly level: number;
}

/** A lock that a peer waits for, in the line of its semaphore. */
export class PendingLock {
  sooner: PendingLock | undefined = undefined;
  later: PendingLock | undefined = undefined;

  constructor(
    readonly peer: Peer,
    readonly semaphore: Semaphore,
    readonly count: bigint,
    /** When the peer began to wait. */
    readonly since: number,
  ) {}
}

/** One count and one line, in order of arrival. Its figures are kept, not counted. */
export class Semaphore {
  max: bigint;
  level: number;
  acquired = 0n;
  pending = 0n;
  /** How many peers wait. */
  waiting = 0;
  /** Who holds it, since when. */
  readonly holders = new Map<Peer, number>();
  /** The configuration does not name it any more: it goes when nobody holds it or waits for it. */
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

  /** Negative where locks were restored beyond the full count, or the full count was lowered. */
  get remainder(): bigint {
    return this.max - this.acquired;
  }

  get isIdle(): boolean {
    return this.acquired === 0n && this.#first === undefined;
  }

  /** When the one began to wait who has waited longest. */
  get pendingSince(): number | undefined {
    return this.#first?.since;
  }

  join(lock: PendingLock): void {
    lock.sooner = this.#last;
    if (this.#last === undefined) this.#first = lock;
    else this.#last.later = lock;
    this.#last = lock;
    this.pending += lock.count;
    this.waiting += 1;
  }

  leave(lock: PendingLock): void {
    const { sooner, later } = lock;
    if (sooner === undefined) this.#first = later;
    else sooner.later = later;
    if (later === undefined) this.#last = sooner;
    else later.sooner = sooner;
    this.pending -= lock.count;
    this.waiting -= 1;
  }

  /** Who waits, in order. */
  *line(): Generator<PendingLock> {
    for (let lock = this.#first; lock !== undefined; lock = lock.later) yield lock;
  }

  /** Beyond the full count if need be. */
  hold(peer: Peer, count: bigint, now: number): void {
    peer.acquired.set(this, count);
    this.holders.set(peer, now);
    this.acquired += count;
  }

  /** Returns whether the peer held it. */
  free(peer: Peer): boolean {
    const count = peer.acquired.get(this);
    if (count === undefined) return false;
    peer.acquired.delete(this);
    this.holders.delete(peer);
    this.acquired -= count;
    return true;
  }

  /**
   * Takes out of the line whom there is room for, and gives it to them. The first that does not fit ends it, so that nobody passes a large
   * count; but one above the full count, which has been lowered since, waits aside until that is raised.
   */
  *fitting(now: number): Generator<PendingLock> {
    for (let lock = this.#first; lock !== undefined; lock = lock.later) {
      if (lock.count > this.max) continue;
      if (lock.count > this.remainder) return;
      this.leave(lock);
      this.hold(lock.peer, lock.count, now);
      yield lock;
    }
  }
}
