import type { Clock } from '../clock.ts';
import { attempt } from '../errors.ts';
import type { Controller, ControllerContext } from '../limits/controller.ts';
import { clockOf, isLate } from './deadlines.ts';
import { type GrantSource, grantFrom } from './grants.ts';
import { LearnedTimeout } from './learned-timeout.ts';
import { LocalPermit, type PermitChange } from './local-permit.ts';
import { Pause } from './pause.ts';
import type { Priority } from './priority.ts';
import type { Queue, QueueContext } from './queue.ts';
import type { Rejection, RejectionCause, RejectionReason } from './rejection.ts';
import { type IdleRates, ReleaseRate } from './release-rate.ts';
import { RetryAfter } from './retry-after.ts';
import type { SemaphoreGroup } from './semaphore-group.ts';
import { announce, grantQueued, isGone, type Waiter, waitedSince } from './waiter.ts';

/** A waiter is rejected on arrival if those ahead of it need more than this multiple of its timeout. */
const MAX_TIMEOUTS = 3;

/** The fields of a request that some orders use. */
export interface Ordering {
  readonly priority?: Priority | undefined;
  readonly fairBy?: string | undefined;
}

/** A limiter in this process. */
interface LocalGroup extends SemaphoreGroup<Semaphore> {
  inflight: number;
  readonly idleRates: IdleRates;
}

/**
 * A counting semaphore with its queue, for the whole limit or for one key. Its group contains that of a key only while
 * it is in use or paused.
 */
export class Semaphore implements GrantSource, QueueContext, ControllerContext {
  inflight = 0;
  readonly queue: Queue;
  /** Undefined if the limit alone decides when requests start. */
  readonly controller: Controller | undefined;
  isScheduled = false;
  released = 0;
  readonly refusals: number[] = [];
  /** Defined once a request has had to wait. */
  private rate: ReleaseRate | undefined = undefined;
  /** Defined once a request that had to wait has been answered. */
  private learned: LearnedTimeout | undefined = undefined;
  private retryAfter: RetryAfter | undefined = undefined;
  /** Number of requests ever admitted. Not the group's: rejected clients of a key wait for the key's own permits. */
  private admitted = 0;
  /** The waiter that the order has chosen, if it does not fit yet. */
  private chosen: Waiter | undefined = undefined;
  private pause: Pause | undefined = undefined;

  constructor(
    readonly group: LocalGroup,
    public limit: number,
    readonly key: string | undefined = undefined,
  ) {
    const { order, limit: value } = group.settings;
    this.queue = order.create(this);
    this.controller = typeof value === 'object' ? value.control?.(this) : undefined;
  }

  get clock(): Clock {
    return this.group.settings.clock;
  }

  get oldest(): Waiter | undefined {
    return this.queue.oldest;
  }

  get lacksRoom(): boolean {
    const { oldest, group } = this;
    if (oldest === undefined || !group.grants || this.pauseLeft > 0) return false;
    // An operator's limit holds whatever happens.
    return group.limitUpdater?.isHeld !== true && !this.fits(oldest.weight);
  }

  get holders(): number {
    return this.admitted - this.released;
  }

  get learnedTimeout(): number {
    return this.learned?.value ?? Infinity;
  }

  /** Milliseconds until requests are admitted again. */
  get pauseLeft(): number {
    return this.pause === undefined ? 0 : this.pause.left;
  }

  /** Whether a new request of this weight is admitted at once. It never overtakes waiters. */
  admits(weight: number): boolean {
    if (this.queue.length > 0 || !this.fits(weight)) return false;
    return this.controller?.mayStart() ?? true;
  }

  /** A weight above a lowered limit counts as the whole limit. Otherwise the waiter would block the queue forever. */
  private fits(weight: number): boolean {
    return this.group.isShadow || Math.min(weight, this.limit) <= this.room;
  }

  private get room(): number {
    return this.pauseLeft > 0 ? 0 : this.limit - this.inflight;
  }

  /** Even a new request may be above the limit: the waiters that it expires may have lowered it in their callbacks. */
  admitWaiter(waiter: Waiter, waited: number): LocalPermit {
    const weight = Math.min(waiter.weight, this.limit);
    return this.admit(weight, waited, waiter.share, waiter, waiter);
  }

  admit(
    weight: number,
    waited: number,
    share: string | undefined,
    { priority = 'normal', fairBy }: Ordering,
    waiter?: Waiter,
  ): LocalPermit {
    const { group } = this;
    this.beforeUse();
    const permit = new LocalPermit(this, weight, waited);
    if (group.ordersByRequest) permit.request = { priority, fairBy, share };
    this.changeInflight(permit, weight, 'granted');
    this.admitted++;
    group.load.record(this.inflight);
    group.permits.add(permit, waiter);
    return permit;
  }

  /** @param counted The part of the permit's weight that counts: 0 if it is paused. */
  release(permit: LocalPermit, counted: number): void {
    this.changeInflight(permit, -counted, 'released');
    this.released++;
    this.rate?.released(permit.weight);
    const { waiter } = permit;
    // A clock that throws must not keep the next waiter from its permit.
    if (waiter !== undefined) attempt(() => this.learn(permit, waiter));
    if (this.queue.length > 0) return grantFrom(this);
    this.afterUse();
  }

  changeCount(permit: LocalPermit, by: number, change: PermitChange): void {
    this.changeInflight(permit, by, change);
    if (by < 0) this.wake();
  }

  private changeInflight(permit: LocalPermit, by: number, change: PermitChange): void {
    this.inflight += by;
    this.group.inflight += by;
    this.queue.changeInflight?.(permit, by);
    if (this.controller !== undefined) notify(this.controller, permit, change);
  }

  resize(limit: number): void {
    this.limit = limit;
    this.wake();
  }

  wake(): void {
    if (this.queue.length > 0) grantFrom(this);
  }

  /**
   * Grants permits while there is room, and sheds late waiters. Repeats, since callbacks may release permits or change
   * which waiter is next.
   */
  serve(): void {
    const { group } = this;
    do this.grantNextOnes();
    while (group.grants && this.shedNext());
    const { oldest, length } = this.queue;
    if (oldest === undefined) return;
    // While an operator has paused the limiter, no waiter becomes due.
    this.controller?.watch(group.grants ? oldest : undefined, length);
    this.pause?.watch(false);
  }

  /**
   * Grants permits to the next waiters while they fit. One that does not fit stays chosen, and no other passes it, until
   * it fits or leaves: as the limiter drains for it, a lighter one would only make it wait longer (docs/decisions/0022).
   */
  private grantNextOnes(): void {
    let clock: Clock | undefined;
    let now = 0;
    for (let next = this.chooseNext(); next !== undefined; next = this.chooseNext()) {
      const fits = this.fits(next.weight);
      if (!fits && this.room > 0) this.chosen = next;
      if (!fits && next.deadline === 0) return;
      const ownClock = clockOf(next, this);
      // A waiter that does not fit is only checked for its deadline, and the time of the latest grant is precise enough
      // for that.
      if (fits || ownClock !== clock) now = ownClock.now();
      clock = ownClock;
      if (this.isTooLate(next, now)) this.reject(next, 'timeout');
      else if (!fits) return;
      else if (isGone(next)) this.withdraw(next);
      else this.grantNext(next, now);
    }
  }

  private chooseNext(): Waiter | undefined {
    const { queue, group, controller } = this;
    if (!group.grants || queue.length === 0) return undefined;
    if (!group.isShadow && controller?.mayStart() === false) return undefined;
    // Shadow mode admits every waiter, so neither the order nor `next` of the queue matters.
    return group.isShadow ? queue.oldest : (this.chosen ?? queue.next);
  }

  /** Whether an answer to the next waiter would come too late. The last waiter is served: no other needs the permit. */
  private isTooLate(next: Waiter, now: number): boolean {
    if (isLate(next, now)) return true;
    return this.queue.length > 1 && this.learned?.endsWaitOf(next, now) === true;
  }

  private grantNext(waiter: Waiter, now: number): void {
    this.rate?.granted(this.clock);
    this.unlink(waiter, true);
    const permit = this.admitWaiter(waiter, waitedSince(waiter.since, now));
    permit.waiter = waiter;
    permit.since ??= now;
    this.queue.charge?.(permit, permit.weight);
    grantQueued(waiter, permit);
  }

  /** Returns whether it has shed a waiter. */
  private shedNext(): boolean {
    const { controller } = this;
    const { oldest, length } = this.queue;
    // The chosen waiter is not shed, since room is being saved for it.
    if (controller === undefined || oldest === undefined || oldest === this.chosen) return false;
    if (controller.waitLeft(oldest, length) >= 0) return false;
    controller.shed();
    this.reject(oldest, 'overloaded');
    return true;
  }

  /**
   * Enqueues a waiter, and rejects the one that it displaces from a full queue, if there is one. The waiter may leave
   * early: each callback may withdraw it.
   */
  enqueue(waiter: Waiter, displaced: Waiter | undefined): void {
    const { group } = this;
    this.insert(waiter);
    if (displaced !== undefined) this.reject(displaced, 'full');
    if (waiter.queuedIn === this) announce(waiter);
    if (waiter.queuedIn === this) group.counters.queued(waiter, waiter.weight, group.queued);
    if (waiter.queuedIn === this && this.queue.mayBeNext(waiter)) grantFrom(this);
  }

  private insert(waiter: Waiter): void {
    const { group } = this;
    this.beforeUse();
    waiter.queuedIn = this;
    if (this.queue.length === 0) this.startMeasuring();
    this.queue.insert(waiter);
    this.controller?.queued(waiter, this.queue.length);
    group.queued++;
    group.limitUpdater?.queued(this.clock.now(), this.inflight);
    const { chosen, queue } = this;
    // The waiter comes from an earlier limit of its gate, and has arrived before the chosen one.
    if (chosen !== undefined && waiter.arrival < chosen.arrival && queue.next === waiter)
      this.chosen = undefined;
  }

  /**
   * Whether a new waiter with this timeout certainly times out: the waiters ahead of it need several timeouts. A shorter
   * queue would reject requests that are served (docs/decisions/0067).
   */
  isHopeless(timeout: number): boolean {
    // A controller bounds the wait itself.
    const { rate, controller, queue } = this;
    if (rate === undefined || controller !== undefined) return false;
    if (!queue.servesInOrder) return false;
    const wait = rate.wait(this.clock.now(), queue.weight, this.limit);
    return wait > MAX_TIMEOUTS * timeout;
  }

  /**
   * Returns the waiter that `newWaiter` displaces from the full queue. At most one waiter is displaced, and only if
   * that frees enough weight.
   */
  displacedBy(newWaiter: Waiter): Waiter | undefined {
    const displaced = this.queue.displacedBy?.(newWaiter);
    if (displaced === undefined || displaced === this.chosen) return undefined;
    const weight = this.queue.weight - displaced.weight + newWaiter.weight;
    return weight <= this.group.settings.queueWeight ? displaced : undefined;
  }

  /** Removes the waiter from the queue, without an answer. */
  withdraw(waiter: Waiter): void {
    this.remove(waiter, () => {
      this.group.counters.withdrawn(waiter, waiter.since);
      waiter.withdrawn();
    });
  }

  /** Rejects a waiter of the queue. */
  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    this.remove(waiter, () => this.rejectUnqueued(waiter, reason, cause));
  }

  /**
   * Rejects a waiter that is not queued. If it did not fit, reports this to the adaptive limit, which may be too low.
   */
  rejectUnqueued(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const rejection = { ...this.rejection(waiter, reason), ...cause };
    this.group.counters.rejected(waiter, rejection);
    waiter.rejected(rejection);
    const { grants, limitUpdater } = this.group;
    // During a pause, a rejection is no sign that the limit is too low.
    if (limitUpdater === undefined || !grants || this.pauseLeft > 0 || this.fits(waiter.weight))
      return;
    limitUpdater.rejected(this.clock.now(), this.inflight);
  }

  private rejection(waiter: Waiter, reason: RejectionReason): Rejection {
    const { name, clock } = this.group.settings;
    const now = clock.now();
    this.retryAfter ??= new RetryAfter(clock);
    return {
      reason,
      limitName: name,
      queued: this.queue.length,
      waited: waiter.arrival === 0 ? 0 : waitedSince(waiter.since, now),
      retryAfter: this.retryAfter.seconds(now, this.admitted, this.pauseLeft),
    };
  }

  /** Removes a waiter that leaves without a grant, and informs it. Until then, its key is in use. */
  private remove(waiter: Waiter, inform: () => void): void {
    const mayBlock = waiter === this.chosen || this.queue.mayBeNext(waiter);
    this.unlink(waiter, false);
    attempt(inform);
    if (this.queue.length === 0) this.afterUse();
    else if (mayBlock) grantFrom(this);
  }

  private unlink(waiter: Waiter, isGranted: boolean): void {
    if (waiter === this.chosen) this.chosen = undefined;
    this.queue.remove(waiter, isGranted);
    waiter.queuedIn = undefined;
    if (this.queue.length === 0) {
      this.rate?.stop(this.clock.now(), this.limit);
      this.learned?.reset();
      this.controller?.watch(undefined, 0);
      this.pause?.watch(true);
    }
    this.group.queued--;
    this.group.deadlines.remove(waiter);
  }

  private startMeasuring(): void {
    const { key, group } = this;
    this.rate ??= (key === undefined ? undefined : group.idleRates.get(key)) ?? new ReleaseRate();
    this.rate.start(this.clock.now());
  }

  /** Learns from the answer to a request that was queued. A controller bounds the wait itself. */
  private learn(permit: LocalPermit, waiter: Waiter): void {
    if (this.controller !== undefined || this.queue.length === 0) return;
    this.learned ??= new LearnedTimeout();
    this.learned.answered(permit, waiter, this.clock.now(), this.group.settings.queueTimeout);
  }

  /** Forgets the measured rate: how fast the limiter releases while paused does not predict later waits. */
  forgetRate(): void {
    this.rate = undefined;
  }

  pauseFor(milliseconds: number): void {
    if (milliseconds === 0) return this.endPause();
    this.beforeUse();
    this.forgetRate();
    this.pause ??= new Pause(this.clock, () => this.endPause());
    this.pause.extend(milliseconds);
    this.pause.watch(this.queue.length === 0);
  }

  private endPause(): void {
    if (this.pause === undefined) return;
    this.pause.cancel();
    this.pause = undefined;
    // If it ends early, the returns of rejected clients that are scheduled after it would delay those of all later ones.
    this.retryAfter = undefined;
    this.wake();
    this.afterUse();
  }

  /** Called before a permit or a waiter is added. */
  private beforeUse(): void {
    const { key } = this;
    if (key !== undefined && this.inflight === 0 && this.queue.length === 0)
      this.group.keep(this, key);
  }

  /** Called after the last waiter has left, and after a release if none is queued. */
  private afterUse(): void {
    const { key, group, rate } = this;
    if (key === undefined || this.inflight > 0 || this.queue.length > 0) return;
    if (this.pauseLeft > 0) return;
    group.forget(this, key);
    if (rate !== undefined) group.idleRates.keep(key, rate);
  }
}

function notify(controller: Controller, permit: LocalPermit, change: PermitChange): void {
  if (change === 'granted' || change === 'resumed') controller.started(permit);
  else if (change === 'released') controller.finished(permit);
  else if (change === 'paused') controller.paused(permit);
}
