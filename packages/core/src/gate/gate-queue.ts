import type { GateableLimiter, Limiter } from '../limiter/limiter.ts';
import type { Counters } from '../semaphore/counters.ts';
import { Deadlines, waitersOf } from '../semaphore/deadlines.ts';
import type { BasePermit, PermitHolder } from '../semaphore/permit.ts';
import type { Rejection, RejectionCause, RejectionReason } from '../semaphore/rejection.ts';
import { announce, isGone, Waiter } from '../semaphore/waiter.ts';
import { type Demands, weightNow } from './demands.ts';
import type { GateSettings } from './gate.ts';
import { releaseAll } from './gate-permit.ts';

/** The waiters of a gate, whichever of its limits they wait for. They have a common queue limit and one deadline each. */
export class GateQueue {
  /** Tracks every waiter, including those without a deadline. */
  readonly #deadlines: Deadlines;
  /** Number of waiters that are waiting for a store's answer and do not count as queued yet. */
  #awaitingStore = 0;

  constructor(
    private readonly settings: GateSettings,
    private readonly counters: Counters,
  ) {
    this.#deadlines = new Deadlines(settings.clock, (late) =>
      (late as GateWaiter).rejectAtLimit('timeout'),
    );
  }

  get length(): number {
    return this.#deadlines.size - this.#awaitingStore;
  }

  get isFull(): boolean {
    return this.length >= this.settings.queueLimit;
  }

  /** A copy. */
  get waiters(): GateWaiter[] {
    return waitersOf(this.#deadlines) as GateWaiter[];
  }

  /** The gate's waiter of a request that waits here. */
  find({ queuedIn }: Waiter): GateWaiter | undefined {
    return queuedIn instanceof GateWaiter && this.#contains(queuedIn) ? queuedIn : undefined;
  }

  /** A late timer must not keep expired waiters in a full queue. */
  rejectExpired(): void {
    if (this.length > 0 && this.isFull) this.#deadlines.sweep();
  }

  /** Adds a waiter and starts its deadline, before its first limit enqueues it. Returns whether it may wait. */
  add(gateWaiter: GateWaiter): boolean {
    const { waiter, limiter, queueTimeout } = gateWaiter;
    const awaitsStore = limiter?.isDistributed === true;
    if (!awaitsStore && this.isFull) {
      gateWaiter.displaced = this.#displacedBy(gateWaiter);
      if (gateWaiter.displaced === undefined) return false;
    }
    if (!waiter.mayJoin()) return false;
    this.#deadlines.start(gateWaiter, queueTimeout);
    gateWaiter.arrivalNumber = gateWaiter.arrival;
    waiter.arrival = gateWaiter.arrival;
    waiter.queuedIn = gateWaiter;
    if (!awaitsStore) return true;
    gateWaiter.awaitsStore = true;
    this.#awaitingStore++;
    return true;
  }

  /** A limit has enqueued the waiter. Unless that limit's store must answer first, the waiter counts as queued. */
  inserted(gateWaiter: GateWaiter): void {
    const { waiter, displaced, isAnnounced, limiter } = gateWaiter;
    const isWaiting = () => waiter.queuedIn === gateWaiter;
    gateWaiter.isAnnounced = true;
    if (displaced !== undefined) {
      gateWaiter.displaced = undefined;
      displaced.rejectAtLimit('full');
    }
    if (!isAnnounced && isWaiting()) announce(waiter);
    if (!isWaiting()) return;
    if (limiter?.isDistributed) {
      if (!isAnnounced) this.counters.asked(waiter);
    } else if (!isAnnounced || gateWaiter.awaitsStore) this.#countAsQueued(gateWaiter);
  }

  /** A store has answered. Returns false if there is no room; otherwise the waiter counts as queued. */
  answered(gateWaiter: GateWaiter): boolean {
    this.rejectExpired();
    if (this.isFull) return false;
    this.#countAsQueued(gateWaiter);
    return true;
  }

  remove(gateWaiter: GateWaiter): void {
    const { waiter } = gateWaiter;
    // The caller may have enqueued the same waiter again.
    if (waiter.queuedIn === gateWaiter) waiter.queuedIn = undefined;
    this.#stopAwaitingStore(gateWaiter);
    this.#deadlines.remove(gateWaiter);
  }

  #contains({ timeoutBucket }: Waiter): boolean {
    return timeoutBucket?.deadlines === this.#deadlines;
  }

  /**
   * The waiter that the new one would displace at its current limit. Only called for a limit that is counted in this
   * process.
   */
  #displacedBy(gateWaiter: GateWaiter): GateWaiter | undefined {
    const displaced = (gateWaiter.limiter as GateableLimiter).displacedBy(gateWaiter);
    return displaced && this.#contains(displaced) ? (displaced as GateWaiter) : undefined;
  }

  #countAsQueued(gateWaiter: GateWaiter): void {
    this.#stopAwaitingStore(gateWaiter);
    this.counters.queued(gateWaiter.waiter, gateWaiter.weight, this.length);
  }

  #stopAwaitingStore(gateWaiter: GateWaiter): void {
    if (!gateWaiter.awaitsStore) return;
    gateWaiter.awaitsStore = false;
    this.#awaitingStore--;
  }
}

/** What a waiter needs from its gate. */
export interface GateWaiterOwner {
  /** Whether it rejects every request. */
  readonly rejects: boolean;
  readonly settings: { readonly queueLimit: number; readonly queueTimeout: number };
  readonly queue: GateQueue;
  /** Admits a waiter that has acquired all its limits. */
  admit(gateWaiter: GateWaiter, parts: readonly BasePermit[]): void;
  /** Rejects a waiter with the rejection of one of its limits, or without one because the gate is closed. */
  reject(gateWaiter: GateWaiter, rejection?: Rejection): void;
  /** Removes a waiter whose caller has left, and counts it as withdrawn. */
  forget(gateWaiter: GateWaiter): void;
  /** Removes a waiter and releases its permits, without an answer. */
  drop(gateWaiter: GateWaiter): void;
}

/** A request that acquires the limits of a gate in order, and holds the permits of those already acquired. */
export class GateWaiter extends Waiter implements PermitHolder {
  /** The limit being acquired. */
  limiter: Limiter | undefined = undefined;
  /** Whether the waiter is waiting for a store's answer and does not count as queued yet. */
  awaitsStore = false;
  /** Whether its request knows that it is queued. */
  isAnnounced = false;
  /** The waiter whose place in the gate's queue it takes. */
  declare displaced: GateWaiter | undefined;
  /** The number that orders the waiter in every queue of the gate. 0 while it has not had to wait. */
  arrivalNumber = 0;
  /** The rejection that shadow mode has suppressed: the first one or, if there are several, a timeout. */
  declare excess: Rejection | undefined;
  /** Replaced by a new array at each change, since adding to an array reserves room for 16 more. */
  private parts: readonly BasePermit[];
  /** Set once the waiter is withdrawn, rejected or failed. A callback may do that just before a limit answers. */
  #isAnswered = false;

  constructor(
    private readonly gate: GateWaiterOwner,
    readonly waiter: Waiter,
    readonly demands: Demands,
    /** The permits that the waiter already holds, of the first limits. */
    parts: readonly BasePermit[],
  ) {
    super();
    this.parts = parts.slice();
    this.priority = waiter.priority;
    this.queueTimeout = waiter.queueTimeout ?? gate.settings.queueTimeout;
    if (waiter.fairBy !== undefined) this.fairBy = waiter.fairBy;
    if (waiter.isReported) this.isReported = true;
  }

  /** Requests the next limit. After the last limit, admits the request. */
  advance(): void {
    const demand = this.demands[this.parts.length];
    if (demand === undefined) return this.gate.admit(this, this.parts);
    this.limiter = demand.limiter;
    if (this.key !== demand.key) this.key = demand.key;
    if (this.limit !== demand.limit) this.limit = demand.limit;
    if (this.share !== demand.share) this.share = demand.share;
    this.weight = weightNow(demand);
    try {
      demand.limiter.request(this);
    } catch (error) {
      this.gate.drop(this);
      throw error;
    }
  }

  granted(permit: BasePermit): void {
    if (this.#isAnswered) return permit.release('ignored');
    this.parts = this.parts.concat(permit);
    // A closing gate rejects its waiters. The permits that these release may be granted to a waiter not rejected yet.
    if (this.gate.rejects) this.gate.reject(this);
    else this.advance();
  }

  rejected(rejection: Rejection): void {
    if (!this.#isAnswered) this.gate.reject(this, rejection);
  }

  /** Asks the gate only at the first limit, since all limits share one deadline and one queue limit. */
  override mayJoin(): boolean {
    const { queue, rejects } = this.gate;
    if (this.#isAnswered || rejects) return false;
    if (this.arrivalNumber === 0) {
      if (!queue.add(this)) return false;
    } else if (this.awaitsStore && !this.limiter?.isDistributed && queue.isFull) return false;
    this.arrival = this.arrivalNumber;
    for (const part of this.parts) part.holdFor(this);
    return true;
  }

  override queued(): void {
    this.gate.queue.inserted(this);
  }

  override mayStay(): boolean {
    if (!this.awaitsStore) return true;
    const { queue } = this.gate;
    // An observer may reject the waiter, as may the sweep of expired waiters.
    return !this.gate.rejects && queue.answered(this) && !this.#isAnswered;
  }

  override get gateQueueLimit(): number {
    return this.gate.settings.queueLimit;
  }

  override exceeds(rejection: Rejection): void {
    if (this.excess === undefined || rejection.reason === 'timeout') this.excess = rejection;
  }

  /** A request that has left or was rejected at a later limit has no answer that could come too late. */
  override gone(): boolean {
    return !this.#isAnswered && isGone(this.waiter);
  }

  override get isPatient(): boolean {
    return this.waiter.isPatient;
  }

  override withdrawn(): void {
    if (!this.#isAnswered) this.gate.forget(this);
  }

  leaseLost(cause: RejectionCause): void {
    this.limiter?.reject(this, 'store', cause);
  }

  /** Rejects the waiter at the limit that it is queued for. That limit then calls `rejected`. */
  rejectAtLimit(reason: RejectionReason): void {
    this.limiter?.reject(this, reason);
  }

  releaseParts(): void {
    const { parts } = this;
    this.#isAnswered = true;
    this.parts = [];
    releaseAll(parts, 'ignored');
  }
}
