import { checkDuration } from '../checks.ts';
import { isLate, timeFor } from './deadlines.ts';
import { together } from './grants.ts';
import { checkIdle, checkKey, checkOrdering, checkRequest } from './request.ts';
import { Semaphore } from './semaphore.ts';
import { SemaphoreGroup, type SemaphoreSettings } from './semaphore-group.ts';
import { grant, isGone, type Waiter } from './waiter.ts';

/** The semaphores of a limiter in this process. */
export class LocalSemaphores extends SemaphoreGroup<Semaphore> {
  constructor(settings: SemaphoreSettings) {
    super(settings);
    if (!settings.perKey) this.only = new Semaphore(this, undefined, this.limit);
  }

  /** The semaphore of a key; a new one is stored only once it admits or queues a request. */
  of(key: string | undefined, limit: number | undefined): Semaphore {
    checkKey(this.settings, key, limit);
    const semaphore = this.find(key);
    if (semaphore === undefined) return new Semaphore(this, key, limit ?? this.limit);
    if (limit === undefined || limit === semaphore.limit) return semaphore;
    semaphore.resize(limit);
    // A waiter admitted above may already have released, which evicts the idle semaphore.
    return this.find(key) ?? new Semaphore(this, key, limit);
  }

  at({ queuedAt: place }: Waiter): Semaphore | undefined {
    return place instanceof Semaphore && place.parent === this ? place : undefined;
  }

  /** Admits the waiters that now fit, and revokes no permit. */
  resize(limit: number): void {
    const { name, observer } = this.settings;
    this.limit = limit;
    together(() => {
      for (const semaphore of this.inUse()) semaphore.resize(limit);
    });
    observer.resized?.({ name, limit });
  }

  request(waiter: Waiter): void {
    checkIdle(waiter);
    let semaphore = this.of(waiter.key, waiter.limit);
    checkRequest(this, semaphore.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    if (this.#isFull(semaphore, waiter)) semaphore = this.#withoutLate(semaphore, waiter);
    if (this.closed) return semaphore.rejectNewcomer(waiter, 'closed');
    if (semaphore.admits(waiter.weight))
      return grant(waiter, semaphore.admit(waiter.weight, 0, waiter.share));
    checkOrdering(waiter);
    const { queueTimeout } = this.settings;
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? queueTimeout);
    const hasRoom = !this.#isFull(semaphore, waiter) || semaphore.spare(waiter) !== undefined;
    if (!hasRoom || !waiter.joins()) return semaphore.rejectNewcomer(waiter, 'full');
    semaphore = this.#again(waiter);
    if (this.#isFull(semaphore, waiter)) {
      semaphore = this.#withRoom(semaphore, waiter);
      if (isGone(waiter)) return;
    }
    if (this.closed) return semaphore.rejectNewcomer(waiter, 'closed');
    if (this.#isFull(semaphore, waiter)) return semaphore.rejectNewcomer(waiter, 'full');
    semaphore.enqueue(waiter, timeout);
  }

  close(): void {
    this.closed = true;
    for (const semaphore of this.inUse()) {
      for (let { oldest } = semaphore; oldest !== undefined; oldest = semaphore.oldest) {
        semaphore.reject(oldest, 'closed');
      }
    }
  }

  /** Whether the queue has no room for this waiter. */
  #isFull({ queue }: Semaphore, { weight }: Waiter): boolean {
    const { queueLimit, queueWeight } = this.settings;
    return queue.length >= queueLimit || queue.weight + weight > queueWeight;
  }

  /** The waiter's semaphore, after rejecting the waiters whose deadline has passed. */
  #withoutLate(semaphore: Semaphore, waiter: Waiter): Semaphore {
    if (this.closed || semaphore.queue.length === 0) return semaphore;
    // A late timer must not keep the queue full.
    this.deadlines.sweep();
    // The deadlines of a gate's requests are tracked by the gate.
    for (let { oldest } = semaphore; oldest !== undefined; oldest = semaphore.oldest) {
      if (!isLate(oldest, timeFor(oldest, semaphore))) break;
      semaphore.reject(oldest, 'timeout');
    }
    return this.#again(waiter);
  }

  /** As above, and after rejecting the waiter that the new one displaces, if any. */
  #withRoom(full: Semaphore, waiter: Waiter): Semaphore {
    const semaphore = this.#withoutLate(full, waiter);
    if (this.#isFull(semaphore, waiter) && !this.closed) {
      const spare = semaphore.spare(waiter);
      if (spare !== undefined) semaphore.reject(spare, 'full');
    }
    return this.#again(waiter);
  }

  /**
   * Application code has run, which may have closed the limiter, filled the queue, or evicted the key and used it again
   * with another limit.
   */
  #again({ key, limit }: Waiter): Semaphore {
    return this.find(key) ?? this.of(key, limit);
  }
}
