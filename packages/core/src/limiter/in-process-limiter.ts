import { isControlled, limitSetTo } from '../limits/limit.ts';
import { deferGrants } from '../semaphore/grants.ts';
import type { BasePermit } from '../semaphore/permit.ts';
import { sumStats } from '../semaphore/queue.ts';
import type { Rejection } from '../semaphore/rejection.ts';
import { IdleRates } from '../semaphore/release-rate.ts';
import { checkIdle, checkKey, checkRequest, keyText } from '../semaphore/request.ts';
import { type Ordering, Semaphore } from '../semaphore/semaphore.ts';
import { grant, type Waiter } from '../semaphore/waiter.ts';
import { Simulation } from '../shadow/simulation.ts';
import { noOptions } from './acquire.ts';
import { type AcquireOptions, acquireOptions, checkAcquireOptions } from './acquire-options.ts';
import { BaseLimiter, type OperatedChange } from './base-limiter.ts';
import type { LimiterSettings } from './distributed-options.ts';
import type { GateableLimiter } from './limiter.ts';
import { limiterModel } from './limiter-model.ts';

/** Enforces a limit within this process. */
export class InProcessLimiter extends BaseLimiter<Semaphore> implements GateableLimiter {
  declare readonly settings: LimiterSettings;
  readonly isDistributed = false;
  inflight = 0;
  readonly idleRates = new IdleRates();
  /**
   * Simulates the requests that shadow mode admits. Undefined in enforce mode, and if a gate or a distributed limiter
   * reports them.
   */
  private simulation: Simulation<AcquireOptions> | undefined = undefined;

  constructor(settings: LimiterSettings) {
    super(settings);
    if (!settings.perKey) this.only = new Semaphore(this, this.limit);
    if (settings.mode !== 'shadow') return;
    this.isShadow = true;
    this.#simulate();
  }

  /** Whether a controller decides when requests start, as with the default limit. */
  get isControlled(): boolean {
    return isControlled(this.settings.limit);
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

  at({ queuedIn }: Waiter): Semaphore | undefined {
    return queuedIn instanceof Semaphore && queuedIn.group === this ? queuedIn : undefined;
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
      if (!this.rejects) this.deadlines.sweepQueue(semaphore);
      // Their callbacks may have evicted the key, and used it again with another limit.
      semaphore = this.find(waiter.key) ?? this.findOrCreate(waiter.key, waiter.limit);
    }
    if (this.rejects) return semaphore.rejectUnqueued(waiter, 'closed');
    if (this.grants && this.simulation === undefined && semaphore.admits(waiter.weight))
      return grant(waiter, semaphore.admitWaiter(waiter, 0));
    if (this.grants && this.isShadow) return this.#admitInShadow(semaphore, waiter);
    this.#enqueue(semaphore, waiter, timeout ?? this.timeoutOf(waiter), hasRoom);
  }

  tryAcquire(options: AcquireOptions = noOptions): BasePermit | undefined {
    if (options !== noOptions) checkAcquireOptions('tryAcquire', options, acquireOptions);
    return this.tryWithinLimit(options) ?? this.#tryInShadow(options);
  }

  override tryWithinLimit(
    { key, limit, weight = 1, share }: AcquireOptions,
    ordering: Ordering = noOptions,
  ): BasePermit | undefined {
    const semaphore = this.findOrCreate(keyText(key), limit);
    // Every limit is at least 1, so weight 1 needs no check.
    if (weight !== 1 || share !== undefined) checkRequest(this, semaphore.limit, weight, share);
    if (this.grants && this.simulation === undefined && semaphore.admits(weight))
      return semaphore.admit(weight, 0, share, ordering);
  }

  /** Admits a request even if that exceeds the limit. */
  admitBeyond({ key, limit, weight = 1, share }: AcquireOptions): BasePermit {
    return this.findOrCreate(keyText(key), limit).admit(weight, 0, share, noOptions);
  }

  /** Enqueues a request that cannot be admitted now, or rejects it if there is no room. */
  #enqueue(semaphore: Semaphore, waiter: Waiter, timeout: number, hasRoom: boolean): void {
    if (semaphore.pauseLeft > this.timeLeft(waiter, timeout))
      return semaphore.rejectUnqueued(waiter, 'paused');
    const isFull = !hasRoom && !this.#hasRoom(semaphore, waiter, timeout);
    const displaced = isFull ? (semaphore.displacedBy(waiter) ?? waiter) : undefined;
    if (displaced === waiter || !waiter.mayJoin()) return semaphore.rejectUnqueued(waiter, 'full');
    this.deadlines.start(waiter, timeout === Infinity ? undefined : timeout);
    semaphore.enqueue(waiter, displaced);
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

  displacedBy(newWaiter: Waiter): Waiter | undefined {
    return this.find(newWaiter.key)?.displacedBy(newWaiter);
  }

  /** Admits a request, even beyond the limit, and simulates what the limit would have done. */
  #admitInShadow(semaphore: Semaphore, waiter: Waiter): void {
    const { key, limit, weight, share } = waiter;
    const permit = semaphore.admitWaiter(waiter, 0);
    if (!waiter.isReported)
      this.simulation?.admitted(permit, { key, limit, weight, share }, waiter);
    grant(waiter, permit);
  }

  #tryInShadow(options: AcquireOptions): BasePermit | undefined {
    if (!this.grants || !this.isShadow) return undefined;
    const { limit, weight = 1, share } = options;
    const key = keyText(options.key);
    // If the key is in use, its limit stays as it is: the request has set it before, and a waiter admitted since may
    // have changed it.
    const semaphore = this.find(key) ?? this.findOrCreate(key, limit);
    const permit = semaphore.admit(weight, 0, share, noOptions);
    this.simulation?.admitted(permit, { key, limit, weight, share });
    return permit;
  }

  rejectedInShadow(rejection: Rejection, request: object): void {
    this.counters.rejectedInShadow(rejection, request);
  }

  /**
   * Starts a simulation if shadow mode is on. Called again after each operation, so that all counts belong to the same
   * limit.
   */
  #simulate(): void {
    const { settings } = this;
    this.simulation = undefined;
    if (!this.isShadow || settings.isPart) return;
    const limit = this.isFixed ? limitSetTo(this.limit, settings.limit) : settings.limit;
    const model = limiterModel(settings, limit, (own) => new InProcessLimiter(own));
    const report = this.rejectedInShadow.bind(this);
    this.simulation = new Simulation(settings.clock, report, model);
  }

  protected changeLimit(limit: number | 'adaptive'): void {
    const { limitUpdater, settings } = this;
    if (limit === 'adaptive') limitUpdater?.adapt(settings.clock.now());
    else {
      limitUpdater?.hold();
      this.resize(limit);
    }
    this.#simulate();
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

  protected operate({ status, mode }: OperatedChange, report: () => void): void {
    const isSame = status === this.status || mode === this.mode;
    if (isSame && this.stats().pausedFor === undefined) return;
    deferGrants(() => {
      if (status !== undefined) this.setStatus(status);
      else {
        this.isShadow = mode === 'shadow';
        this.#simulate();
      }
      for (const semaphore of this.inUse()) semaphore.pauseFor(0);
      report();
    });
    this.#rejectWaiters();
    // An open limiter admits the waiters that fit or, in shadow mode, all.
    deferGrants(() => {
      for (const semaphore of this.inUse()) {
        semaphore.forgetRate();
        semaphore.wake();
      }
    });
  }

  /** Rejects the waiters of a closed or rejecting limiter. */
  #rejectWaiters(): void {
    for (const semaphore of this.inUse()) {
      // Checked for each waiter, since a rejected caller may open the limiter again and enqueue.
      for (let { oldest } = semaphore; oldest && this.rejects; oldest = semaphore.oldest) {
        semaphore.reject(oldest, 'closed');
      }
    }
  }

  protected end(): void {
    this.closed = true;
    // Not in shadow mode, in which a closed limiter does not reject either.
    if (this.isShadow && this.grants) return;
    this.grants = false;
    this.rejects = true;
    this.#rejectWaiters();
  }

  usage(key?: string | number): { limit: number; inflight: number } {
    const { limit = this.limit, inflight = 0 } = this.find(keyText(key)) ?? {};
    return { limit, inflight };
  }

  override stats() {
    const queues = this.inUse().map(({ queue }) => queue);
    const { shadow, suggestions } = this.simulation?.stats() ?? {};
    const suggestion = suggestions?.get(this.name);
    return { ...super.stats(), ...sumStats(queues), shadow, suggestion };
  }
}
