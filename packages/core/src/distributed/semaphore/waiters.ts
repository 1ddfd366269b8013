import { throwLater } from '../../errors.ts';
import { FifoQueue } from '../../queues/fifo.ts';
import { isLate, timeFor } from '../../semaphore/deadlines.ts';
import type { RejectionCause, RejectionReason } from '../../semaphore/rejection.ts';
import { isGone, type Waiter } from '../../semaphore/waiter.ts';
import type { Session } from '../lease/session.ts';
import type { AssignedLease } from './distributed-permit.ts';
import type { CachedLimitState, DistributedLimit } from './limit-state.ts';

/** The waiters of this process at one semaphore, each with its own lease, in order of arrival. */
export class Waiters {
  /** Waiters whose lease has been requested from the store. */
  private readonly sent = new FifoQueue();
  /** Waiters whose lease has not. */
  private readonly unsent = new FifoQueue();

  constructor(
    private readonly limit: DistributedLimit,
    private readonly limitState: CachedLimitState,
    private readonly session: Session,
    /** Takes over a waiter that had a local waiter with another lease. */
    private readonly takeOver: (lease: AssignedLease) => void,
  ) {}

  get length(): number {
    return this.sent.length + this.unsent.length;
  }

  get first(): Waiter | undefined {
    return this.sent.oldest ?? this.unsent.oldest;
  }

  /** Requests the leases that may be requested now. */
  sendNext(limit: number): void {
    for (let next = this.#firstUnsent; next !== undefined; next = this.#firstUnsent) {
      if (!this.maySend(limit)) return;
      this.send(next);
    }
  }

  /** Whether another lease may be requested: with hand-off as many as can be held, without it one per waiter. */
  maySend(limit: number): boolean {
    return !this.handsOff || this.sent.length < limit;
  }

  /** The first lease that has not been requested from the store. */
  get #firstUnsent(): AssignedLease | undefined {
    return this.unsent.oldest?.queuedAt as AssignedLease | undefined;
  }

  /** Adds a new waiter with its lease, which is not requested from the store yet. */
  start(waiter: Waiter, lease: AssignedLease, timeout: number): void {
    this.limit.deadlines.start(waiter, timeout > 0 ? timeout : undefined);
    this.#add(waiter, lease);
  }

  /** Requests the lease from the store. */
  send(lease: AssignedLease): void {
    const waiter = lease.waiter as Waiter;
    this.unsent.remove(waiter);
    this.sent.insert(waiter);
    this.session.ask('acquire', lease);
  }

  /** Counts the lease's waiter as queued; returns false if the waiter declines. */
  startQueueing(lease: AssignedLease): boolean {
    const { limit } = this;
    const { waiter, isCounted } = lease;
    if (isCounted || waiter === undefined) return waiter !== undefined;
    if (!waiter.queues() || waiter.queuedAt !== lease) return false;
    lease.isCounted = true;
    limit.queued++;
    limit.counters.queued(lease.weight, limit.queued);
    return true;
  }

  /** Removes and returns the lease's waiter, and releases the lease. */
  leave(lease: AssignedLease): Waiter | undefined {
    const waiter = this.#leave(lease);
    this.session.release(lease);
    return waiter;
  }

  /** Rejects the lease's waiter. */
  reject(lease: AssignedLease, reason: RejectionReason, cause?: RejectionCause): void {
    const waiter = this.leave(lease);
    if (waiter !== undefined) this.#rejectSafely(waiter, reason, cause);
  }

  /** Rejects a waiter that is not queued here. */
  rejectNewcomer(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const rejection = { ...this.limitState.rejection(waiter, reason), ...cause };
    this.limit.counters.rejected(rejection);
    waiter.rejected(rejection);
  }

  /** Removes and returns the waiter to grant a free lease; rejects those that are late, and withdraws those gone. */
  next(lease: AssignedLease): Waiter | undefined {
    const { counters, settings } = this.limit;
    for (let next = this.#take(lease); next !== undefined; next = this.#take(lease)) {
      if (isLate(next, timeFor(next, settings))) this.#rejectSafely(next, 'timeout');
      else if (isGone(next)) counters.withdrawn(next);
      else return next;
    }
    return undefined;
  }

  /** The waiters' leases: a copy, in order of arrival. */
  leases(): AssignedLease[] {
    const leases: AssignedLease[] = [];
    for (const { oldest } of [this.sent, this.unsent]) {
      for (let next = oldest; next !== undefined; next = next.behind) {
        leases.push(next.queuedAt as AssignedLease);
      }
    }
    return leases;
  }

  private get handsOff(): boolean {
    return this.limit.settings.handoff > 0;
  }

  /**
   * Removes and returns the waiter of the lease or, with hand-off, the oldest, whose position in the store's queue goes
   * to another waiter of this process.
   */
  #take(lease: AssignedLease): Waiter | undefined {
    const { first } = this;
    const isFirst = this.handsOff && first?.weight === lease.weight;
    const own = isFirst ? (first.queuedAt as AssignedLease) : lease;
    const hadLocalWaiter = own.localWaiter !== undefined;
    const waiter = this.#leave(own);
    if (own !== lease) this.#reuse(own, lease, hadLocalWaiter);
    return waiter;
  }

  /**
   * Assigns a queued lease without a waiter to the former waiter of `lease`, or to the first waiter without a lease.
   */
  #reuse(own: AssignedLease, lease: AssignedLease, hadLocalWaiter: boolean): void {
    const { session } = this;
    const from = lease.waiter === undefined ? this.#firstUnsent : lease;
    // A lease with a local waiter is not queued at the store, so it is useless to a waiter that can keep its own lease.
    const isUseful = from?.weight === own.weight && (from === lease || !hadLocalWaiter);
    if (from === undefined || !isUseful) return session.release(own);
    const waiter = this.#remove(from) as Waiter;
    own.isCounted = from.isCounted;
    if (from !== lease) session.forget(from);
    this.#add(waiter, own);
    session.prolong(own);
    if (hadLocalWaiter) this.takeOver(own);
  }

  #leave(lease: AssignedLease): Waiter | undefined {
    const waiter = this.#remove(lease);
    if (waiter === undefined) return undefined;
    this.limit.deadlines.remove(waiter);
    if (lease.isCounted) this.limit.queued--;
    lease.isCounted = false;
    lease.localWaiter?.leave();
    lease.localWaiter = undefined;
    return waiter;
  }

  #rejectSafely(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    try {
      this.rejectNewcomer(waiter, reason, cause);
    } catch (error) {
      throwLater(error);
    }
  }

  #add(waiter: Waiter, lease: AssignedLease): void {
    lease.waiter = waiter;
    waiter.queuedAt = lease;
    this.#queueOf(lease).insert(waiter);
  }

  #remove(lease: AssignedLease): Waiter | undefined {
    const { waiter } = lease;
    if (waiter === undefined) return undefined;
    this.#queueOf(lease).remove(waiter);
    lease.waiter = undefined;
    waiter.queuedAt = undefined;
    return waiter;
  }

  #queueOf({ state }: AssignedLease): FifoQueue {
    return state === 'unsent' ? this.unsent : this.sent;
  }
}
