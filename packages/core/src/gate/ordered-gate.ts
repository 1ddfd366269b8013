import { checkDuration } from '../checks.ts';
import { callLater, notCallable } from '../limiter/call.ts';
import { Deadlines, isLate } from '../limiter/deadlines.ts';
import { together } from '../limiter/grants.ts';
import { type CloseOptions, checkClose, Ledger } from '../limiter/ledger.ts';
import { nextArrival } from '../limiter/line.ts';
import type { InProcessLimiter } from '../limiter/local-limiter.ts';
import type { BasePermit, Permit } from '../limiter/permit.ts';
import type { Rejection, RejectionReason } from '../limiter/rejection.ts';
import { RetryAfter } from '../limiter/retry-after.ts';
import { Tally } from '../limiter/tally.ts';
import {
  checkIdle,
  checkWishes,
  grant,
  isGone,
  type Waiter,
  waitedSince,
} from '../limiter/waiter.ts';
import { acquireAt } from './acquire.ts';
import type { Gate, GateStats, GateWaitOptions } from './gate.ts';
import type { GateLimit } from './gate-limits.ts';
import { GatePermit, giveBack } from './gate-permit.ts';
import type { GateSettings } from './options.ts';
import { Passage, type Way } from './passage.ts';
import { admitBeyond } from './shadow.ts';
import { checkTakes, type Takes, tryTake } from './takes.ts';

/** A gate whose requests acquire its limits in order. */
export class OrderedGate implements Gate, Way {
  readonly name: string;
  closed = false;
  readonly #ledger: Ledger;
  readonly #tally: Tally;
  /** Every waiter, including those without a deadline. */
  readonly #deadlines: Deadlines;
  readonly #retryAfter: RetryAfter;
  /** Number of waiters that await a store's answer and are not queued yet. */
  #asking = 0;

  constructor(
    readonly limits: readonly GateLimit[],
    private readonly settings: GateSettings,
  ) {
    this.name = settings.name;
    this.#ledger = new Ledger(settings);
    this.#tally = new Tally(settings);
    this.#retryAfter = new RetryAfter(settings.maxRetryAfter, settings.random);
    this.#deadlines = new Deadlines(settings.clock, (late) => this.#rejectAtLimit(late, 'timeout'));
  }

  get inflight(): number {
    return this.#ledger.count;
  }

  get queued(): number {
    return this.#deadlines.size - this.#asking;
  }

  request(waiter: Waiter, takes: Takes): void {
    checkIdle(waiter);
    checkTakes(this.limits, takes);
    if (this.settings.mode === 'shadow') return this.#admitInShadow(waiter, takes);
    if (this.closed) return this.#reject(waiter, this.#rejection('closed'));
    const parts: BasePermit[] = [];
    try {
      for (const take of takes) {
        const part = tryTake(take);
        // A request that must wait or be rejected needs a waiter of its own.
        if (part === undefined) return this.#enqueue(waiter, takes, parts);
        parts.push(part);
      }
    } catch (error) {
      giveBack(parts, 'ignored');
      throw error;
    }
    if (!this.closed) return this.#grant(waiter, parts, 0);
    // An observer of a limiter has closed the gate meanwhile.
    giveBack(parts, 'ignored');
    this.#reject(waiter, this.#rejection('closed'));
  }

  withdraw(waiter: Waiter): void {
    const passage = waiter.place;
    if (!(passage instanceof Passage) || passage.term?.owner !== this.#deadlines) return;
    passage.at?.withdraw(passage);
    this.forget(passage);
  }

  acquire(options?: GateWaitOptions): Promise<Permit> {
    return acquireAt(this, options);
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: GateWaitOptions): Promise<T> {
    if (typeof fn !== 'function') return notCallable(fn);
    return callLater(this.acquire(options), fn, options?.signal);
  }

  async close(options?: CloseOptions): Promise<number> {
    checkClose(options);
    this.closed = true;
    for (const waiting of this.#deadlines.items()) this.#rejectAtLimit(waiting, 'closed');
    const owned = this.limits.filter((limit) => limit.owned);
    const closing = Promise.all(owned.map(({ limiter }) => limiter.close()));
    const left = await this.#ledger.drain(options);
    // Resolves only once all releases have reached their stores.
    if (left === 0) await closing;
    return left;
  }

  stats(): GateStats {
    const { name, inflight, queued } = this;
    const { admitted, leaked } = this.#ledger;
    const { rejections, withdrawals: withdrawn } = this.#tally;
    const now = this.settings.clock.now();
    let longestWait = 0;
    for (const { since } of this.#deadlines.items())
      longestWait = Math.max(longestWait, now - since);
    const counts = { admitted, rejected: { ...rejections }, withdrawn, leaked };
    const limits = this.limits.map(({ limiter }) => limiter.stats());
    return { name, inflight, queued, longestWait, ...counts, limits };
  }

  startWaiting(passage: Passage): boolean {
    const { waiter } = passage;
    const { queueTimeout, clock } = this.settings;
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? queueTimeout);
    const asks = passage.at?.isShared === true;
    const hasRoom = asks || !this.#isFull() || this.#spare(passage) !== undefined;
    if (!hasRoom || !waiter.joins()) return false;
    // `spare` and `joins` may have run code of the app, which may have changed the queue.
    if (!asks && this.#isFull()) {
      this.#makeRoom(passage);
      if (isGone(waiter)) {
        this.abandon(passage);
        return false;
      }
    }
    if (this.closed || (!asks && this.#isFull())) return false;
    const now = clock.now();
    passage.order = nextArrival();
    passage.since = Math.floor(now);
    this.#deadlines.add(passage, now, timeout);
    waiter.place = passage;
    if (asks) {
      passage.asking = true;
      this.#asking++;
    } else this.#tally.queued(passage.weight, this.queued);
    return true;
  }

  startQueueing(passage: Passage): boolean {
    if (this.closed || this.#isFull()) return false;
    this.#stopAsking(passage);
    this.#tally.queued(passage.weight, this.queued);
    return true;
  }

  admit(passage: Passage, parts: readonly BasePermit[]): void {
    // The deadline may have passed between two limits.
    if (passage.order !== 0 && isLate(passage, this.settings.clock.now())) {
      return this.reject(passage, this.#rejection('timeout', passage.at?.name));
    }
    const waited = this.#waited(passage);
    this.#stopWaiting(passage);
    for (const part of parts) part.resume();
    this.#grant(passage.waiter, parts, waited);
  }

  reject(passage: Passage, rejection = this.#rejection('closed')): void {
    const waited = this.#waited(passage);
    const reason = this.closed ? 'closed' : rejection.reason;
    // The waiter is rejected before the permits that it releases are granted to others.
    together(() => {
      this.abandon(passage);
      this.#reject(passage.waiter, { ...rejection, reason, waited });
    });
  }

  forget(passage: Passage): void {
    this.abandon(passage);
    this.#tally.withdrawn(passage);
  }

  abandon(passage: Passage): void {
    this.#stopWaiting(passage);
    passage.giveBack();
  }

  /** Expires late waiters first, so that a late timer does not keep the queue full. */
  #isFull(): boolean {
    const { queueLimit } = this.settings;
    if (this.queued > 0 && this.queued >= queueLimit) this.#deadlines.sweep();
    return this.queued >= queueLimit;
  }

  /** The waiter that this one would displace at its current limit, which is a limit in this process. */
  #spare(passage: Passage): Waiter | undefined {
    const spare = (passage.at as InProcessLimiter).spare(passage);
    return spare?.term?.owner === this.#deadlines ? spare : undefined;
  }

  #makeRoom(passage: Passage): void {
    const spare = this.#spare(passage);
    if (spare !== undefined) passage.at?.reject(spare, 'full');
  }

  #stopWaiting(passage: Passage): void {
    // The caller may have enqueued the same waiter again.
    if (passage.waiter.place === passage) passage.waiter.place = undefined;
    this.#stopAsking(passage);
    this.#deadlines.remove(passage);
  }

  #stopAsking(passage: Passage): void {
    if (!passage.asking) return;
    passage.asking = false;
    this.#asking--;
  }

  #rejectAtLimit(waiting: Waiter, reason: RejectionReason): void {
    const passage = waiting as Passage;
    passage.at?.reject(passage, reason);
  }

  #waited({ order, since }: Passage): number {
    return order === 0 ? 0 : waitedSince(since, this.settings.clock.now());
  }

  #enqueue(waiter: Waiter, takes: Takes, parts: BasePermit[]): void {
    checkWishes(waiter);
    new Passage(this, waiter, takes, parts).advance();
  }

  #admitInShadow(waiter: Waiter, takes: Takes): void {
    const { parts, rejection } = admitBeyond(takes, this.settings.queueLimit);
    if (rejection !== undefined) this.#tally.rejected(rejection, true);
    this.#grant(waiter, parts, 0);
  }

  #grant(waiter: Waiter, parts: readonly BasePermit[], waited: number): void {
    const permit = new GatePermit(this.#ledger, parts, waited);
    this.#ledger.add(permit);
    grant(waiter, permit);
  }

  #reject(waiter: Waiter, rejection: Rejection): void {
    this.#tally.rejected(rejection);
    waiter.rejected(rejection);
  }

  /** A rejection by the gate itself rather than by one of its limits. */
  #rejection(reason: RejectionReason, limit = this.name): Rejection {
    const retryAfter = this.#retryAfter.seconds(this.settings.clock.now(), 0, 0);
    return { reason, limit, queued: this.queued, waited: 0, retryAfter };
  }
}
