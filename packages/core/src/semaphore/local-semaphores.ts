import { readStats } from '../read-or-warn.ts';
import { clockOf, nextArrival } from './deadlines.ts';
import { deferGrants } from './grants.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';
import type { LocalPermit } from './local-permit.ts';
import { sumStats } from './queue-stats.ts';
import { checkIdle, checkKey, checkRequest } from './request.ts';
import { Semaphore } from './semaphore.ts';
import { SemaphoreGroup, type SemaphoreSettings } from './semaphore-group.ts';
import type { ShadowReport } from './shadow-stats.ts';
import { grant, isGone, type Waiter } from './waiter.ts';

interface RequestSimulation {
  admitted(
    waiter: Pick<Waiter, 'priority' | 'fairBy' | 'queueTimeout' | 'identity'>,
    demand: Pick<Waiter, 'key' | 'limit' | 'weight' | 'share'>,
    permit: LocalPermit,
    mayWait?: boolean,
  ): void;
  stats(): ShadowReport;
}

/** The semaphores of a limiter in this process. */
export class LocalSemaphores extends SemaphoreGroup<Semaphore> {
  /** Weight held by all keys; 0 if the limit is not per key. */
  inflightOfKeys = 0;
  /** Simulates the requests that shadow mode admits. Undefined if that is impossible, or if a gate simulates them. */
  simulation: RequestSimulation | undefined = undefined;

  constructor(settings: SemaphoreSettings) {
    super(settings);
    if (!settings.perKey) this.only = new Semaphore(this, this.limit);
  }

  /** The semaphore of a key; a new one is stored only once it admits or queues a request. */
  findOrCreate(key: string | undefined, limit: number | undefined): Semaphore {
    const { only } = this;
    const isKeyed = only === undefined || key !== undefined || limit !== undefined;
    return isKeyed ? this.findOrCreateKeyed(key, limit) : only;
  }

  private findOrCreateKeyed(key: string | undefined, limit: number | undefined): Semaphore {
    checkKey(this.settings, key, limit);
    const semaphore = this.find(key);
    if (semaphore === undefined)
      return new KeyedSemaphore(this, key as string, limit ?? this.limit);
    if (limit === undefined || limit === semaphore.limit) return semaphore;
    semaphore.resize(limit);
    // A waiter admitted above may already have released, which evicts the idle semaphore.
    return this.find(key) ?? new KeyedSemaphore(this, key as string, limit);
  }

  get inflight(): number {
    return this.only?.inflight ?? this.inflightOfKeys;
  }

  at({ queuedAt }: Waiter): Semaphore | undefined {
    return queuedAt instanceof Semaphore && queuedAt.group === this ? queuedAt : undefined;
  }

  /** Admits the waiters that now fit, and revokes no permit. */
  resize(limit: number): void {
    const { name, observers } = this.settings;
    this.limit = limit;
    deferGrants(() => {
      for (const semaphore of this.inUse()) semaphore.resize(limit);
      // Before any grant: a waiter that releases at once may resize an adaptive limit again.
      observers.resized?.({ name, limit });
    });
  }

  request(waiter: Waiter): void {
    checkIdle(waiter);
    let semaphore = this.findOrCreate(waiter.key, waiter.limit);
    checkRequest(this, semaphore.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    const hasRoom = semaphore.queue.length > 0 && !this.#isFull(semaphore, waiter);
    // A late timer must not keep expired waiters in the queue.
    if (semaphore.queue.length > 0 && !hasRoom) {
      this.#rejectExpired(semaphore);
      semaphore = this.#lookUpAgain(waiter);
    }
    if (this.rejects) return semaphore.rejectUnqueued(waiter, 'closed');
    if (this.grants && this.simulation === undefined && semaphore.admits(waiter.weight))
      return grant(waiter, semaphore.admit(waiter.weight, 0, waiter.share, waiter));
    if (this.grants && this.isShadow) return this.#admitInShadow(semaphore, waiter);
    this.#enqueue(semaphore, waiter, hasRoom);
  }

  /** Enqueues a request that cannot be admitted now, or rejects it if there is no room. */
  #enqueue(own: Semaphore, waiter: Waiter, hasRoom: boolean): void {
    const timeout = this.timeoutOf(waiter);
    const wasFull = !hasRoom && this.#isFull(own, waiter);
    const isRefused = (wasFull && !own.displacedBy(waiter)) || !waiter.joins();
    let semaphore = this.#lookUpAgain(waiter);
    if (isRefused) return semaphore.rejectUnqueued(waiter, 'full');
    // Numbered before making room: requests made by the callback of a displaced waiter arrive after this one.
    const arrival = nextArrival();
    if (wasFull || this.#isTooLong(semaphore, waiter)) {
      const room = this.#makeRoom(semaphore, waiter);
      semaphore = room.semaphore;
      if (isGone(waiter)) return;
      // A request that has displaced a waiter may queue even if it is likely to time out.
      const isFull = room.hasDisplaced ? this.#isTooLong : this.#isFull;
      if (!this.rejects && isFull.call(this, semaphore, waiter))
        return semaphore.rejectUnqueued(waiter, 'full');
    }
    if (this.rejects) return semaphore.rejectUnqueued(waiter, 'closed');
    this.deadlines.start(waiter, timeout === Infinity ? undefined : timeout, arrival);
    semaphore.enqueue(waiter);
  }

  override stats() {
    const queues = this.inUse().map(({ queue }) => queue);
    const { shadow, suggestions } = this.simulation?.stats() ?? {};
    const suggestion = suggestions?.get(this.name);
    const owner = `the order of limit "${this.name}"`;
    const sums = readStats(this, owner, () => sumStats(queues));
    return { ...super.stats(), ...sums, shadow, suggestion };
  }

  close(): void {
    this.closed = true;
    // In shadow mode a closed limiter rejects nothing either.
    if (this.isShadow && this.grants) return;
    this.grants = false;
    this.rejects = true;
    this.#rejectWaiters();
  }

  /** Pauses or drains the limiter, or opens it again. */
  change(state: 'open' | 'paused' | 'drained'): void {
    this.state = state;
    this.grants = state === 'open';
    this.rejects = state === 'drained';
  }

  /**
   * Rejects the waiters of a drained limiter. Admits those of an open limiter that fit, or all of them in shadow mode.
   */
  applyToWaiters(): void {
    this.#rejectWaiters();
    deferGrants(() => {
      for (const semaphore of this.inUse()) {
        semaphore.forgetRate();
        semaphore.wake();
      }
    });
  }

  /** Admits a request whether there is room or not, and simulates it. */
  #admitInShadow(semaphore: Semaphore, waiter: Waiter): void {
    const { key, limit, weight, share } = waiter;
    const permit = semaphore.admit(weight, 0, share, waiter);
    if (!waiter.isReported)
      this.simulation?.admitted(waiter, { key, limit, weight, share }, permit);
    grant(waiter, permit);
  }

  #rejectWaiters(): void {
    for (const semaphore of this.inUse()) {
      // A rejected caller may open the limiter again, and enqueue.
      for (let { oldest } = semaphore; oldest && this.rejects; oldest = semaphore.oldest) {
        semaphore.reject(oldest, 'closed');
      }
    }
  }

  /** Whether the queue has no room for this waiter: it is too long, or the waiter is likely to time out. */
  #isFull(semaphore: Semaphore, waiter: Waiter): boolean {
    if (this.#isTooLong(semaphore, waiter)) return true;
    return this.grants && semaphore.isHopeless(waiter.weight, this.#timeLeft(semaphore, waiter));
  }

  /** Milliseconds that the waiter may still wait: a gate's request may already have waited at an earlier limit. */
  #timeLeft(semaphore: Semaphore, waiter: Waiter): number {
    const { timeoutBucket, deadline } = waiter;
    if (timeoutBucket === undefined) return this.timeoutOf(waiter);
    const left = deadline - clockOf(waiter, semaphore).now();
    // A waiter that is already late times out, rather than being rejected here.
    return left > 0 ? left : Infinity;
  }

  #isTooLong({ queue, controller }: Semaphore, { weight }: Waiter): boolean {
    const { queueLimit, queueWeight } = this.settings;
    const maxLength = Math.min(queueLimit, controller?.maxQueued ?? Infinity);
    return queue.length >= maxLength || queue.weight + weight > queueWeight;
  }

  /** Rejects the waiters whose deadline has passed. */
  #rejectExpired(semaphore: Semaphore): void {
    if (this.rejects) return;
    this.deadlines.sweep();
    // The deadlines of a gate's requests are tracked by the gate.
    for (let { oldest } = semaphore; oldest !== undefined; oldest = semaphore.oldest) {
      oldest.timeoutBucket?.deadlines.sweep();
      // Not compared with the oldest one then: an application's order may name another waiter each time.
      if (oldest.queuedAt === semaphore) break;
    }
  }

  /**
   * Rejects expired waiters, and the waiter that the new one displaces, if any. Returns the semaphore to use. If the
   * last waiter of the key was rejected and the key evicted, that is still its old semaphore, which has the key's own
   * limit.
   */
  #makeRoom(full: Semaphore, waiter: Waiter): { semaphore: Semaphore; hasDisplaced: boolean } {
    this.#rejectExpired(full);
    const semaphore = this.find(waiter.key) ?? full;
    const displaced = this.#isFull(semaphore, waiter) && semaphore.displacedBy(waiter);
    if (!displaced) return { semaphore, hasDisplaced: false };
    semaphore.reject(displaced, 'full');
    return { semaphore: this.find(waiter.key) ?? semaphore, hasDisplaced: true };
  }

  /**
   * Looks the semaphore up after application code has run, which may have closed the limiter, filled the queue, or
   * evicted the key and used it again with another limit.
   */
  #lookUpAgain({ key, limit }: Waiter): Semaphore {
    return this.find(key) ?? this.findOrCreate(key, limit);
  }
}
