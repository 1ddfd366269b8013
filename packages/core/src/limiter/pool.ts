import type { Clock } from '../clock.ts';
import { throwLater } from '../errors.ts';
import { Claim } from './claim.ts';
import { isLate } from './deadlines.ts';
import { grantFrom, type Served } from './grants.ts';
import { Heirs } from './heirs.ts';
import { type Line, nextArrival, type Site } from './line.ts';
import { LocalPermit } from './local-permit.ts';
import type { Pools } from './pools.ts';
import { isHigher, type Priority } from './priority.ts';
import type { Rejection, RejectionCause, RejectionReason } from './rejection.ts';
import { RetryAfter } from './retry-after.ts';
import { createLine } from './safe-line.ts';
import { grant, isGone, type Waiter, waitedSince } from './waiter.ts';

/** A limit's count and its line: one for the whole limiter, or one for each key that is in use. */
export class Pool implements Served, Site {
  inflight = 0;
  readonly line: Line;
  ready = false;
  /** Only where the line knows classes. */
  readonly heirs: Heirs | undefined;
  /** Weight given back ever, for `Retry-After`. */
  private returned = 0;
  private retryAfter: RetryAfter | undefined = undefined;
  /** Only where a chosen waiter is heavier than the room there is. */
  private claim: Claim | undefined = undefined;

  constructor(
    readonly home: Pools,
    readonly key: string | undefined,
    public limit: number,
  ) {
    const { order } = home.settings;
    this.line = createLine(order, this);
    this.heirs = order.ranks === true ? new Heirs() : undefined;
  }

  get clock(): Clock {
    return this.home.settings.clock;
  }

  get random(): () => number {
    return this.home.settings.random;
  }

  /** Whether somebody who comes now is admitted: not past those who wait. */
  admits(weight: number): boolean {
    return this.line.length === 0 && this.inflight + weight <= this.limit;
  }

  /** Whether there is no room in the line for one of this weight. */
  isFullFor({ weight }: Waiter): boolean {
    const { queueLimit, queueWeight } = this.home.settings;
    return this.line.length >= queueLimit || this.line.weight + weight > queueWeight;
  }

  admit(weight: number, waited: number, share: string | undefined): LocalPermit {
    const { home } = this;
    this.#keep();
    const permit = new LocalPermit(this, weight, waited);
    if (share !== undefined) permit.share = share;
    this.#hold(weight, share);
    home.ledger.add(permit);
    return permit;
  }

  free({ weight, share }: LocalPermit): void {
    this.#hold(-weight, share);
    this.returned += weight;
    this.claim?.released(this.limit - this.inflight, this.limit);
    this.#left(true);
  }

  /** Somebody's weight has changed; more may exceed the limit. */
  reweigh({ share }: LocalPermit, change: number): void {
    this.#hold(change, share);
    if (change < 0 && this.line.length > 0) grantFrom(this);
  }

  join(waiter: Waiter, timeout: number): void {
    const { home } = this;
    // A gate's request brings its own place in the order and its own deadline.
    if (waiter.arrival === 0) {
      const now = home.settings.clock.now();
      waiter.arrival = nextArrival();
      waiter.since = Math.floor(now);
      waiter.deadline = 0;
      if (timeout !== Infinity) home.deadlines.add(waiter, now, timeout);
    }
    this.#keep();
    waiter.place = this;
    const highest = this.heirs && this.line.highest;
    this.line.insert(waiter);
    home.queued++;
    home.tally.queued(waiter.weight, home.queued);
    if (isHigher(waiter.priority, highest)) this.heirs?.raise(waiter.priority);
    // It comes from an earlier limit of its gate, and its arrival is before that of the claim.
    const { claim } = this;
    if (claim?.waiter && waiter.arrival < claim.waiter.arrival && this.line.next === waiter) {
      claim.waiter = undefined;
    }
    // It may be next: those ahead may have left while it was being asked whether it joins.
    if (this.line.mayBeNext(waiter)) grantFrom(this);
  }

  /** Takes somebody who waits out of the line, without an answer. */
  withdraw(waiter: Waiter): void {
    const wasFirst = this.#leave(waiter);
    this.home.tally.withdrawn(waiter);
    this.#left(wasFirst);
  }

  /** Rejects somebody who waits. */
  reject(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const wasFirst = this.#leave(waiter);
    try {
      this.rejectNewcomer(waiter, reason, cause);
    } catch (error) {
      throwLater(error);
    }
    this.#left(wasFirst);
  }

  /** Rejects somebody who is not in the line. */
  rejectNewcomer(waiter: Waiter, reason: RejectionReason, cause?: RejectionCause): void {
    const own = this.#rejection(waiter, reason);
    const rejection = cause === undefined ? own : { ...own, ...cause };
    this.home.tally.rejected(rejection);
    waiter.rejected(rejection);
  }

  /** Late timers must not keep places in the line occupied. */
  rejectLate(): void {
    this.home.deadlines.sweep();
    // A gate's requests are on the gate's timer.
    for (let { oldest } = this.line; oldest !== undefined; oldest = this.line.oldest) {
      if (!isLate(oldest, this.#clockOf(oldest).now())) return;
      this.reject(oldest, 'timeout');
    }
  }

  /** Who waits is of a higher class from now on. */
  raise(waiter: Waiter, priority: Priority): void {
    if (this.heirs === undefined) {
      waiter.priority = priority;
      return;
    }
    this.line.remove(waiter, false);
    waiter.priority = priority;
    this.line.insert(waiter);
    this.heirs.raise(priority);
    grantFrom(this);
  }

  /** Who makes room for a newcomer in the full line: one for one, if that is enough. */
  spare(newcomer: Waiter): Waiter | undefined {
    const spare = this.line.spare(newcomer);
    if (spare === undefined || spare === this.claim?.waiter) return undefined;
    const weight = this.line.weight - spare.weight + newcomer.weight;
    return weight <= this.home.settings.queueWeight ? spare : undefined;
  }

  /** Rejects who makes room for a newcomer, if anybody does. */
  makeRoom(newcomer: Waiter): void {
    const spare = this.spare(newcomer);
    if (spare !== undefined) this.reject(spare, 'full');
  }

  /** Grants as far as there is room, and then sheds. What that runs may make room, or change whose turn it is. */
  serve(): void {
    do this.#grantNextOnes();
    while (!this.home.closed && this.#shed());
  }

  /** Returns whether it has shed any. */
  #shed(): boolean {
    let { stale } = this.line;
    // Room is being saved for a waiter with the claim.
    if (stale === undefined || stale === this.claim?.waiter) return false;
    for (; stale !== undefined && stale !== this.claim?.waiter; stale = this.line.stale) {
      this.reject(stale, 'overloaded');
    }
    return true;
  }

  get #next(): Waiter | undefined {
    const { claim, line, limit, inflight } = this;
    const next = claim?.waiter ?? line.next;
    if (next === undefined || inflight >= limit || this.#fits(next.weight)) return next;
    this.claim ??= new Claim();
    this.claim.waiter = next;
    return this.claim.next(next, line, limit - inflight, limit);
  }

  #grantNextOnes(): void {
    for (let next = this.#next; next !== undefined; next = this.#next) {
      const fits = this.#fits(next.weight);
      if (this.home.closed || (!fits && next.deadline === 0)) return;
      const now = this.#clockOf(next).now();
      if (isLate(next, now)) this.reject(next, 'timeout');
      else if (!fits) return;
      else this.#admitOrForget(next, now);
    }
  }

  #admitOrForget(next: Waiter, now: number): void {
    const gone = isGone(next);
    // That has run the application's own code, which may have withdrawn or rejected it.
    if (next.place !== this) return;
    if (gone) this.withdraw(next);
    else if (this.#fits(next.weight)) this.#grantNext(next, now);
  }

  /** A gate may have another clock than a limiter that it shares: deadlines are by the clock of who has set them. */
  #clockOf(waiter: Waiter): Clock {
    return waiter.term?.owner.clock ?? this.home.settings.clock;
  }

  resize(limit: number): void {
    this.limit = limit;
    if (this.line.length > 0) grantFrom(this);
  }

  /** A weight that a lowered limit has overtaken counts as the whole limit, or it would block the line for ever. */
  #fits(weight: number): boolean {
    return this.inflight + Math.min(weight, this.limit) <= this.limit;
  }

  #grantNext(waiter: Waiter, now: number): void {
    this.#leave(waiter, true);
    const weight = Math.min(waiter.weight, this.limit);
    try {
      grant(waiter, this.admit(weight, waitedSince(waiter.since, now), waiter.share));
    } catch (error) {
      throwLater(error);
    }
  }

  #hold(weight: number, share: string | undefined): void {
    this.inflight += weight;
    this.home.inflight += weight;
    this.line.hold?.(share, weight);
  }

  #rejection(waiter: Waiter, reason: RejectionReason): Rejection {
    const { name, clock, maxRetryAfter, random } = this.home.settings;
    const now = clock.now();
    this.retryAfter ??= new RetryAfter(maxRetryAfter, random);
    const weightAhead = this.line.weight + waiter.weight;
    return {
      reason,
      limit: name,
      queued: this.line.length,
      waited: waiter.arrival === 0 ? 0 : waitedSince(waiter.since, now),
      retryAfter: this.retryAfter.seconds(now, weightAhead, this.returned),
    };
  }

  /** Returns whether it may have kept others waiting, where it leaves for nothing. */
  #leave(waiter: Waiter, isGranted = false): boolean {
    const { claim } = this;
    const hasClaim = claim?.waiter === waiter;
    const wasFirst = !isGranted && (hasClaim || this.line.mayBeNext(waiter));
    if (hasClaim) claim.waiter = undefined;
    if (isGranted && hasClaim) this.claim = undefined;
    else if (isGranted) claim?.passedBy(waiter);
    this.line.remove(waiter, isGranted);
    waiter.place = undefined;
    this.home.queued--;
    this.home.deadlines.remove(waiter);
    return wasFirst;
  }

  /** Something has left: there may be room for the next, or nobody may need the pool any more. */
  #left(room: boolean): void {
    if (this.line.length > 0) {
      if (room) grantFrom(this);
    } else if (this.key !== undefined && this.inflight === 0) this.home.forget(this, this.key);
  }

  #keep(): void {
    if (this.key === undefined || this.inflight > 0 || this.line.length > 0) return;
    this.home.keep(this, this.key);
  }
}
