import { deferGrants } from './grants.ts';
import type { LocalPermit } from './local-permit.ts';
import { sumStats } from './queue.ts';
import type { ReleaseRate } from './release-rate.ts';
import { checkIdle, checkKey, checkRequest } from './request.ts';
import { Semaphore } from './semaphore.ts';
import { SemaphoreGroup, type SemaphoreSettings } from './semaphore-group.ts';
import type { ShadowReport } from './shadow-stats.ts';
import { grant, type Waiter } from './waiter.ts';

interface RequestSimulation {
  admitted(
    waiter: Pick<Waiter, 'priority' | 'fairBy' | 'queueTimeout' | 'identity'>,
    demand: Pick<Waiter, 'key' | 'limit' | 'weight' | 'share'>,
    permit: LocalPermit,
    mayWait?: boolean,
  ): void;
  stats(): ShadowReport;
}

/** Maximum number of idle keys whose rates are kept. */
const MAX_RATES = 1000;

/** The semaphores of a limiter in this process. */
export class LocalSemaphores extends SemaphoreGroup<Semaphore> {
  inflight = 0;
  /** How fast keys that are idle now have released weight: the next burst of a key need not measure it again. */
  readonly #idleRates = new Map<string, ReleaseRate>();
  /**
   * Simulates the requests that shadow mode admits. Undefined if the limit cannot be simulated, or if a gate simulates
   * it.
   */
  simulation: RequestSimulation | undefined = undefined;

  constructor(settings: SemaphoreSettings) {
    super(settings);
    if (!settings.perKey) this.only = new Semaphore(this, this.limit);
  }

  /** Returns the semaphore of a key. A new one is stored only once it admits or queues a request. */
  findOrCreate(key: string | undefined, limit: number | undefined): Semaphore {
    const { only } = this;
    const isKeyed = only === undefined || key !== undefined || limit !== undefined;
    return isKeyed ? this.findOrCreateKeyed(key, limit) : only;
  }

  private findOrCreateKeyed(key: string | undefined, limit: number | undefined): Semaphore {
    checkKey(this.settings, key, limit);
    const semaphore = this.find(key);
    if (semaphore === undefined) return new Semaphore(this, limit ?? this.limit, key);
    if (limit === undefined || limit === semaphore.limit) return semaphore;
    semaphore.resize(limit);
    // A waiter admitted above may already have released, which evicts the idle semaphore.
    return this.find(key) ?? new Semaphore(this, limit, key);
  }

  earlierRate(key: string): ReleaseRate | undefined {
    return this.#idleRates.get(key);
  }

  evict(semaphore: Semaphore, key: string, rate: ReleaseRate | undefined): void {
    this.forget(semaphore, key);
    if (rate === undefined) return;
    const rates = this.#idleRates;
    rates.delete(key);
    rates.set(key, rate);
    if (rates.size > MAX_RATES) rates.delete(rates.keys().next().value as string);
  }

  at({ queuedAt }: Waiter): Semaphore | undefined {
    return queuedAt instanceof Semaphore && queuedAt.group === this ? queuedAt : undefined;
  }

  /** Changes the limit and admits the waiters that then fit. Revokes no permit. */
  resize(limit: number): void {
    const { name, observers } = this.settings;
    this.limit = limit;
    deferGrants(() => {
      for (const semaphore of this.inUse()) semaphore.resize(limit);
      // Reported before any grant: a waiter that releases at once may resize an adaptive limit again.
      observers.resized?.({ name, limit, reason: this.limitUpdater?.stats().limitReason });
    });
  }

  request(waiter: Waiter): void {
    checkIdle(waiter);
    let semaphore = this.findOrCreate(waiter.key, waiter.limit);
    checkRequest(this, semaphore.limit, waiter.weight, waiter.share);
    waiter.arrival = 0;
    const timeout = semaphore.queue.length > 0 ? this.timeoutOf(waiter) : undefined;
    const hasRoom = timeout !== undefined && this.#hasRoom(semaphore, waiter, timeout);
    if (timeout !== undefined && !hasRoom) {
      // A late timer must not keep expired waiters in the queue.
      this.#rejectExpired(semaphore);
      // Their callbacks may have evicted the key, and used it again with another limit.
      semaphore = this.find(waiter.key) ?? this.findOrCreate(waiter.key, waiter.limit);
    }
    if (this.rejects) return semaphore.rejectUnqueued(waiter, 'closed');
    if (this.grants && this.simulation === undefined && semaphore.admits(waiter.weight))
      return grant(waiter, semaphore.admitWaiter(waiter, 0));
    if (this.grants && this.isShadow) return this.#admitInShadow(semaphore, waiter);
    this.#enqueue(semaphore, waiter, timeout ?? this.timeoutOf(waiter), hasRoom);
  }

  /** Enqueues a request that cannot be admitted now, or rejects it if there is no room. */
  #enqueue(semaphore: Semaphore, waiter: Waiter, timeout: number, hasRoom: boolean): void {
    if (semaphore.pauseLeft > this.timeLeft(waiter, timeout))
      return semaphore.rejectUnqueued(waiter, 'paused');
    const isFull = !hasRoom && !this.#hasRoom(semaphore, waiter, timeout);
    const displaced = isFull ? (semaphore.displacedBy(waiter) ?? waiter) : undefined;
    if (displaced === waiter || !waiter.joins()) return semaphore.rejectUnqueued(waiter, 'full');
    this.deadlines.start(waiter, timeout === Infinity ? undefined : timeout);
    semaphore.insert(waiter);
    if (displaced !== undefined) semaphore.reject(displaced, 'full');
    semaphore.inserted(waiter);
  }

  override stats() {
    const queues = this.inUse().map(({ queue }) => queue);
    const { shadow, suggestions } = this.simulation?.stats() ?? {};
    const suggestion = suggestions?.get(this.name);
    return { ...super.stats(), ...sumStats(queues), shadow, suggestion };
  }

  close(): void {
    this.closed = true;
    // Not in shadow mode, in which a closed limiter does not reject either.
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
   * Rejects the waiters of a drained limiter. Admits the waiters of an open one: those that fit or, in shadow mode,
   * all.
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

  /** Admits a request, even beyond the limit, and simulates what the limit would have done. */
  #admitInShadow(semaphore: Semaphore, waiter: Waiter): void {
    const { key, limit, weight, share } = waiter;
    const permit = semaphore.admitWaiter(waiter, 0);
    if (!waiter.isReported)
      this.simulation?.admitted(waiter, { key, limit, weight, share }, permit);
    grant(waiter, permit);
  }

  #rejectWaiters(): void {
    for (const semaphore of this.inUse()) {
      // Checked for each waiter, since a rejected caller may open the limiter again and enqueue.
      for (let { oldest } = semaphore; oldest && this.rejects; oldest = semaphore.oldest) {
        semaphore.reject(oldest, 'closed');
      }
    }
  }

  /** Whether the waiter may queue: the queue is not full, and the waiter does not certainly time out. */
  #hasRoom(semaphore: Semaphore, waiter: Waiter, timeout: number): boolean {
    const { queue, controller } = semaphore;
    const { queueLimit, queueWeight } = this.settings;
    const maxLength = Math.min(queueLimit, controller?.maxQueued ?? Infinity);
    if (queue.length >= maxLength || queue.weight + waiter.weight > queueWeight) return false;
    // A waiter from an earlier limit of its gate comes before those that have arrived later.
    if (!this.grants || waiter.timeoutBucket !== undefined) return true;
    const learned = waiter.isPatient ? Infinity : semaphore.learnedTimeout;
    return !semaphore.isHopeless(Math.min(timeout, learned));
  }

  /** Rejects the waiters whose deadline has passed. */
  #rejectExpired(semaphore: Semaphore): void {
    if (this.rejects) return;
    this.deadlines.sweep();
    // A gate tracks the deadlines of its own requests, so these are swept as well.
    for (let { oldest } = semaphore; oldest !== undefined; oldest = semaphore.oldest) {
      const deadlines = oldest.timeoutBucket?.deadlines;
      if (deadlines === this.deadlines) return;
      deadlines?.sweep();
      if (oldest.queuedAt === semaphore) return;
    }
  }
}
