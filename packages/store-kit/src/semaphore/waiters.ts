import type { RejectionReason, Waiter } from '@headgate/core';
import {
  attempt,
  clockOf,
  FifoQueue,
  isGone,
  isLate,
  LearnedTimeout,
  type RejectionCause,
} from '@headgate/core/engine';
import type { Session } from '../lease/session.ts';
import type { AssignedLease } from './assigned-lease.ts';
import type { DistributedPermit } from './distributed-permit.ts';
import type { DistributedSemaphoreGroup } from './distributed-semaphore-group.ts';
import { reportInShadow } from './excess.ts';
import type { CachedLimitState } from './limit-state.ts';

/** The waiters of this process at one semaphore, each with its own lease, in order of arrival. */
export class Waiters {
  /** Waiters whose lease has been requested from the store. */
  private readonly sent = new FifoQueue();
  /** Waiters whose lease has not been requested yet. */
  private readonly unsent = new FifoQueue();
  private readonly learned = new LearnedTimeout();
  /** Number of waiters that count as queued. A waiter does not, until the store has answered its first call. */
  private counted = 0;

  constructor(
    private readonly group: DistributedSemaphoreGroup,
    private readonly limitState: CachedLimitState,
    private readonly session: Session,
    /** Called for a waiter that had a local waiter and has now received the lease of another one. */
    private readonly takeOver: (lease: AssignedLease) => void,
  ) {}

  get length(): number {
    return this.sent.length + this.unsent.length;
  }

  /** Whether this process's queue is full. For a keyed limit: the queue of this key. */
  get isFull(): boolean {
    return this.counted >= this.group.settings.queueLimit;
  }

  get first(): Waiter | undefined {
    return this.sent.oldest ?? this.unsent.oldest;
  }

  /** Milliseconds after which answers come too late for the clients of this process; Infinity while unknown. */
  get learnedTimeout(): number {
    return this.learned.value;
  }

  /** A request of this process has been answered. Its lateness tells nothing while no other is queued. */
  answered(permit: DistributedPermit): void {
    const { clock, queueTimeout } = this.group.settings;
    if (permit.waiter !== undefined && this.length > 0)
      this.learned.answered(permit, permit.waiter, clock.now(), queueTimeout);
  }

  /** Requests the leases that may be requested now. */
  sendNext(): void {
    for (let next = this.#firstUnsent; next !== undefined; next = this.#firstUnsent) {
      if (!this.maySend) return;
      this.send(next);
    }
  }

  /**
   * Whether another lease may be requested. With hand-off, only as many as the limit allows to be held at once. Without
   * hand-off, and in shadow mode, each waiter requests its own.
   */
  get maySend(): boolean {
    return !this.handsOff || this.group.isShadow || this.sent.length < this.limitState.limit;
  }

  /** The first lease that has not been requested from the store. */
  get #firstUnsent(): AssignedLease | undefined {
    return this.unsent.oldest?.queuedIn as AssignedLease | undefined;
  }

  /** Adds a new waiter with its lease, which is not requested from the store yet. */
  add(waiter: Waiter, lease: AssignedLease, timeout: number): void {
    this.group.deadlines.start(waiter, timeout > 0 ? timeout : undefined);
    this.#add(waiter, lease);
  }

  send(lease: AssignedLease): void {
    const waiter = lease.waiter as Waiter;
    this.unsent.remove(waiter);
    this.sent.insert(waiter);
    this.request(lease);
  }

  /**
   * Requests the lease. If its waiter already counts as queued, sends `stay`, which the store never rejects as `full`.
   */
  request(lease: AssignedLease): void {
    const { session } = this;
    session.ask(lease.isCounted ? 'stay' : 'acquire', lease);
  }

  /** Counts the lease's waiter as queued. Returns false if the waiter refuses to queue. */
  countAsQueued(lease: AssignedLease): boolean {
    const { group } = this;
    const { waiter, isCounted } = lease;
    if (waiter === undefined) return false;
    if (isCounted) return true;
    if (!waiter.mayStay() || waiter.queuedIn !== lease) return false;
    lease.isCounted = true;
    this.counted++;
    group.queued++;
    group.counters.queued(waiter, lease.weight, group.queued);
    return true;
  }

  /** Removes and returns the lease's waiter, and releases the lease. */
  leave(lease: AssignedLease): Waiter | undefined {
    const waiter = this.#leave(lease);
    this.session.release(lease);
    return waiter;
  }

  reject(lease: AssignedLease, reason: RejectionReason, cause?: RejectionCause): void {
    const waiter = this.leave(lease);
    if (waiter !== undefined) attempt(() => this.rejectUnqueued(waiter, reason, cause));
  }

  /** Rejects a waiter that is not queued here. */
  rejectUnqueued(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const rejection = { ...this.limitState.rejection(waiter, reason), ...cause };
    this.group.counters.rejected(waiter, rejection);
    waiter.rejected(rejection);
  }

  /**
   * Whether shadow mode admits a waiter instead of rejecting it for this reason. This includes rejections by a store
   * that has not received the change of mode yet, and answers that arrive after the waiter's deadline.
   */
  excuses(reason: RejectionReason): boolean {
    const { isShadow, grants } = this.group;
    return isShadow && grants && (reason === 'timeout' || reason === 'full');
  }

  /** Reports a rejection that shadow mode has prevented. */
  reportExcused(waiter: Waiter, reason: RejectionReason): void {
    attempt(() => reportInShadow(this.group, waiter, this.limitState.rejection(waiter, reason)));
  }

  /**
   * Removes and returns the waiter that gets a free lease. Rejects the expired waiters before it, and withdraws those
   * whose caller has left.
   */
  next(lease: AssignedLease): Waiter | undefined {
    const { counters, settings } = this.group;
    for (;;) {
      const next = this.#take(lease);
      if (next === undefined) return undefined;
      const late = this.#isTooLate(next, clockOf(next, settings).now());
      if (late && !this.excuses('timeout')) attempt(() => this.rejectUnqueued(next, 'timeout'));
      else if (isGone(next)) {
        counters.withdrawn(next, next.since);
        attempt(() => next.withdrawn());
      } else {
        if (!late) return next;
        this.reportExcused(next, 'timeout');
        // The waiter is reported already, so its excess must not be reported again.
        lease.excess = 0;
        return next;
      }
    }
  }

  /** The waiters' leases: a copy, in order of arrival. */
  leases(): AssignedLease[] {
    const leases: AssignedLease[] = [];
    for (const { oldest } of [this.sent, this.unsent]) {
      for (let next = oldest; next !== undefined; next = next.behind) {
        leases.push(next.queuedIn as AssignedLease);
      }
    }
    return leases;
  }

  /** Whether an answer to this waiter, which has just left the queue, would come too late. The last waiter is served. */
  #isTooLate(waiter: Waiter, now: number): boolean {
    return isLate(waiter, now) || (this.length > 0 && this.learned.endsWaitOf(waiter, now));
  }

  private get handsOff(): boolean {
    return this.group.settings.handoff > 0;
  }

  /**
   * With hand-off, the oldest waiter takes the granted lease. The oldest waiter's own lease, which is still queued,
   * then goes to the waiter that had requested the granted one, or to the first waiter without a lease.
   */
  #take(granted: AssignedLease): Waiter | undefined {
    const { first } = this;
    const handsOn = this.handsOff && first?.weight === granted.weight;
    const waiterLease = handsOn ? (first.queuedIn as AssignedLease) : granted;
    const hadLocalWaiter = waiterLease.localWaiter !== undefined;
    const waiter = this.#leave(waiterLease);
    if (waiterLease !== granted) this.#reuse(waiterLease, granted, hadLocalWaiter);
    return waiter;
  }

  #reuse(queued: AssignedLease, granted: AssignedLease, hadLocalWaiter: boolean): void {
    const { session } = this;
    const replaced = granted.waiter === undefined ? this.#firstUnsent : granted;
    // A lease that had a local waiter is not queued at the store, so it is useless to a waiter that has its own.
    const isUseful =
      replaced?.weight === queued.weight && (replaced === granted || !hadLocalWaiter);
    if (replaced === undefined || !isUseful) return session.release(queued);
    const waiter = this.#remove(replaced) as Waiter;
    queued.isCounted = replaced.isCounted;
    if (replaced !== granted) session.forget(replaced);
    this.#add(waiter, queued);
    session.prolong(queued);
    if (hadLocalWaiter) this.takeOver(queued);
  }

  #leave(lease: AssignedLease): Waiter | undefined {
    const waiter = this.#remove(lease);
    if (waiter === undefined) return undefined;
    this.group.deadlines.remove(waiter);
    if (this.length === 0) this.learned.reset();
    if (lease.isCounted) {
      this.counted--;
      this.group.queued--;
    }
    lease.isCounted = false;
    lease.localWaiter?.leave();
    lease.localWaiter = undefined;
    return waiter;
  }

  #add(waiter: Waiter, lease: AssignedLease): void {
    lease.waiter = waiter;
    waiter.queuedIn = lease;
    this.#queueOf(lease).insert(waiter);
  }

  #remove(lease: AssignedLease): Waiter | undefined {
    const { waiter } = lease;
    if (waiter === undefined) return undefined;
    this.#queueOf(lease).remove(waiter);
    lease.waiter = undefined;
    waiter.queuedIn = undefined;
    return waiter;
  }

  #queueOf({ state }: AssignedLease): FifoQueue {
    return state === 'unsent' ? this.unsent : this.sent;
  }
}
