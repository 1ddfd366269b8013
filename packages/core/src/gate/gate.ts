import type { Clock } from '../clock.ts';
import { Acquisition, callLater } from '../limiter/acquire.ts';
import { Deadlines } from '../limiter/deadlines.ts';
import { together } from '../limiter/grants.ts';
import { type CloseOptions, Held } from '../limiter/held.ts';
import type { LimiterStats, WaitOptions } from '../limiter/limiter.ts';
import { nextArrival } from '../limiter/line.ts';
import type { Observer } from '../limiter/observer.ts';
import type { BasePermit, Permit } from '../limiter/permit.ts';
import type { Rejection } from '../limiter/rejection.ts';
import { RetryAfter } from '../limiter/retry-after.ts';
import { Tally } from '../limiter/tally.ts';
import { alreadyWaiting, grant, type Waiter } from '../limiter/waiter.ts';
import { checkDuration } from '../options.ts';
import type { GateLimit } from './gate-limits.ts';
import { GatePermit } from './gate-permit.ts';
import { Passage } from './passage.ts';
import { admitBeyond } from './shadow.ts';
import { checkTakes, type TakeOptions, type Takes, takesFrom } from './takes.ts';

export interface GateWaitOptions
  extends TakeOptions,
    Pick<WaitOptions, 'signal' | 'queueTimeout'> {}

/** A gate in numbers: requests, where its limits count weight. */
export interface GateStats
  extends Omit<LimiterStats, 'limit' | 'keys'>,
    Record<'limits', readonly LimiterStats[]> {}

/** What `createGate` has checked and completed. */
export interface GateSettings {
  name: string;
  limits: readonly GateLimit[];
  queueLimit: number;
  queueTimeout: number;
  mode: 'enforce' | 'shadow';
  maxHold: number;
  maxRetryAfter: number;
  observer: Observer | undefined;
  clock: Clock;
  random: () => number;
}

/** Several limits that one request must pass together, with one line, one deadline and one count for the whole way. */
export class Gate {
  readonly name: string;
  readonly limits: readonly GateLimit[];
  readonly #held: Held;
  /** Who waits, in order of arrival. */
  readonly #waiting = new Map<Waiter, Passage>();
  readonly #deadlines: Deadlines<Waiter>;
  readonly #retryAfter: RetryAfter;
  readonly #tally: Tally;
  closed = false;

  constructor(private readonly settings: GateSettings) {
    const { name, clock, maxHold, observer } = settings;
    this.name = name;
    this.limits = settings.limits;
    this.#tally = new Tally(name, clock, observer);
    this.#held = new Held(name, clock, maxHold, observer);
    this.#retryAfter = new RetryAfter(settings.maxRetryAfter, settings.random);
    this.#deadlines = new Deadlines(clock, (passage) =>
      (passage as Passage).at?.turnAway(passage, 'timeout'),
    );
  }

  /** Requests that hold a permit. */
  get inflight(): number {
    return this.#held.count;
  }

  /** Requests that wait, at whichever limit. */
  get queued(): number {
    return this.#waiting.size;
  }

  /** Answers the waiter now or later, once. Of the waiter's own fields only `queueTimeout` is read. */
  request(waiter: Waiter, takes: Takes): void {
    checkTakes(this.limits, takes);
    if (this.settings.mode === 'shadow') return this.#letPass(waiter, takes);
    if (this.closed) return this.#reject(waiter, this.closedRejection());
    if (this.queued > 0 && this.#waiting.has(waiter)) throw alreadyWaiting();
    new Passage(this, waiter, takes).advance();
  }

  /** The caller went away; no answer follows. Does nothing for one that does not wait here. */
  withdraw(waiter: Waiter): void {
    const passage = this.#waiting.get(waiter);
    if (passage === undefined) return;
    passage.at?.withdraw(passage);
    this.forget(passage);
  }

  acquire(options: GateWaitOptions = {}): Promise<Permit> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted();
      const takes = takesFrom(this.limits, options);
      const waiter = new Acquisition(this, resolve, reject, options.signal);
      waiter.queueTimeout = options.queueTimeout;
      this.request(waiter, takes);
    });
  }

  run<T>(fn: (permit: Permit) => T | PromiseLike<T>, options?: GateWaitOptions): Promise<T> {
    return callLater(this.acquire(options), fn, options?.signal);
  }

  /** As a limiter's; closes only the limiters that the gate has made. */
  close(options?: CloseOptions): Promise<number> {
    this.closed = true;
    for (const passage of [...this.#waiting.values()]) passage.at?.turnAway(passage, 'closed');
    for (const { limiter, owned } of this.limits) if (owned) void limiter.close();
    return this.#held.drain(options);
  }

  stats(): GateStats {
    const { name, inflight, queued } = this;
    const { total: admitted, leaked } = this.#held;
    const [first] = this.#waiting.values();
    const longestWait = first === undefined ? 0 : this.settings.clock.now() - first.since;
    const counts = {
      admitted,
      rejected: { ...this.#tally.rejections },
      withdrawn: this.#tally.withdrawals,
      leaked,
    };
    const limits = this.limits.map(({ limiter }) => limiter.stats());
    return { name, inflight, queued, longestWait, ...counts, limits };
  }

  /** @internal Whether a request may begin to wait; from then on it counts and its time runs. */
  lets(passage: Passage): boolean {
    const { waiter } = passage;
    const { queueLimit, queueTimeout, clock } = this.settings;
    // Late timers must not keep places in the line occupied.
    if (this.queued > 0 && this.queued >= queueLimit) this.#deadlines.sweep();
    const timeout = checkDuration('queueTimeout', waiter.queueTimeout ?? queueTimeout);
    if (this.queued >= queueLimit || !waiter.joins() || this.closed) return false;
    const now = clock.now();
    passage.order = nextArrival();
    passage.since = Math.floor(now);
    if (timeout !== Number.POSITIVE_INFINITY) {
      this.#deadlines.add(passage, now, timeout);
    }
    this.#waiting.set(waiter, passage);
    this.#tally.queued(passage.weight, this.queued);
    return true;
  }

  /** @internal It has passed the last limit. */
  admit(passage: Passage, parts: readonly BasePermit[]): void {
    const waited = this.#waited(passage);
    this.#stopWaiting(passage);
    const permit = new GatePermit(this.#held, parts, waited);
    this.#held.add(permit);
    grant(passage.waiter, permit);
  }

  /** @internal A limit has refused it. */
  refuse(passage: Passage, rejection: Rejection): void {
    const waited = this.#waited(passage);
    const reason = this.closed ? 'closed' : rejection.reason;
    // It has its answer before anybody is let into what it gives back.
    together(() => {
      this.drop(passage);
      this.#reject(passage.waiter, { ...rejection, reason, waited });
    });
  }

  /** @internal Its caller has gone. */
  forget(passage: Passage): void {
    this.drop(passage);
    this.#tally.withdrawn(passage);
  }

  /** @internal What it has passed is given back. */
  drop(passage: Passage): void {
    this.#stopWaiting(passage);
    passage.giveBack();
  }

  #stopWaiting(passage: Passage): void {
    // Whoever was answered may have come again, with the same waiter.
    if (passage.order === 0 || this.#waiting.get(passage.waiter) !== passage) return;
    this.#waiting.delete(passage.waiter);
    this.#deadlines.remove(passage);
  }

  #waited({ order, since }: Passage): number {
    return order === 0 ? 0 : Math.max(0, Math.round(this.settings.clock.now() - since));
  }

  #letPass(waiter: Waiter, takes: Takes): void {
    const { parts, refused } = admitBeyond(this.limits, takes, this.settings.queueLimit);
    if (refused !== undefined) this.#tally.rejected(refused, true);
    const permit = new GatePermit(this.#held, parts, 0);
    this.#held.add(permit);
    grant(waiter, permit);
  }

  #reject(waiter: Waiter, rejection: Rejection): void {
    this.#tally.rejected(rejection);
    waiter.rejected(rejection);
  }

  /** @internal */
  closedRejection(): Rejection {
    const retryAfter = this.#retryAfter.seconds(this.settings.clock.now(), 0, 0);
    return { reason: 'closed', limit: this.name, queued: this.queued, waited: 0, retryAfter };
  }
}
