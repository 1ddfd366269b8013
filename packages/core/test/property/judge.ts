import type { VirtualClock } from '@headgate/test-suite';
import type { LocalLimiter, Permit, Rejection, Waiter } from '../../src/index.ts';
import type { AcquireOptions } from '../../src/limiter/acquire-options.ts';
import type { InProcessLimiter } from '../../src/limiter/in-process-limiter.ts';
import type { GateableLimiter } from '../../src/limiter/limiter.ts';
import { type Case, KeysInUse } from './keys-in-use.ts';
import { watchPermit } from './watched-permit.ts';
import { WatchedState } from './watched-state.ts';
import { watchWaiter } from './watched-waiter.ts';

/** Counts the waiters of all judges, as they arrive. */
let orders = 0;

/** Whether the request certainly times out, for which there are tests of its own. */
function isHopeless(limiter: LocalLimiter, waiter: Waiter): boolean {
  const { key, queueTimeout = limiter.queueTimeout, timeoutBucket } = waiter;
  if (timeoutBucket !== undefined) return false;
  return (limiter as InProcessLimiter).find(key)?.isHopeless(queueTimeout) === true;
}

/** A waiter whose mayJoin() returned true may not be queued yet. */
function isQueued({ queuedIn }: Waiter): boolean {
  return queuedIn !== undefined;
}

/**
 * A reference model of a limiter's guarantees. It wraps a real limiter, observes its requests and answers, and records
 * every violation: weight above the limit, barging, a grant after the deadline, a second answer, idle room.
 */
export class Judge {
  readonly breaches: string[] = [];
  /** The last request that was rejected because it was certain to time out. */
  hopeless: Waiter | undefined;
  /** Held permits, including those of requests that are still queued at a later limit of their gate. */
  readonly live = new Map<Permit, Case>();
  readonly #orders: WeakMap<Waiter, number>;
  readonly #keys: KeysInUse;
  readonly #state: WatchedState;

  constructor(
    readonly limiter: LocalLimiter,
    private readonly clock: VirtualClock,
    /** For the limiters of a gate: its waiters have no deadline of their own, but a common order of arrival. */
    private readonly shared?: {
      isPassage(waiter: Waiter): boolean;
      orders: WeakMap<Waiter, number>;
    },
  ) {
    this.#keys = new KeysInUse(limiter.limit);
    this.#state = new WatchedState(limiter, clock);
    this.#orders = shared?.orders ?? new WeakMap();
    this.#stepIn();
  }

  get waiting(): Case[] {
    return this.#keys.waiting;
  }

  /** Checks the invariants between two steps. */
  settle(): void {
    const { limiter } = this;
    const stats = limiter.stats();
    this.#same('inflight', limiter.inflight, this.#keys.inflight);
    this.#same('queued', limiter.queued, this.waiting.length);
    if (limiter.perKey) this.#same('keys', stats.keys, this.#keys.limits.size);
    for (const [key, limit] of this.#keys.limits) {
      const inflight = this.#keys.heldOf(key);
      const usage = limiter.usage(limiter.perKey ? key : undefined);
      this.#same(`usage of "${key}"`, JSON.stringify(usage), JSON.stringify({ limit, inflight }));
      const [head] = this.#keys.queueOf(key);
      if (head === undefined || !this.#state.grants || this.#isLate(head)) continue;
      if (this.#state.isLate) continue;
      this.#check(
        !this.#fits(key, head.weight),
        `"${key}" has room for its next waiter, which is still queued`,
      );
    }
    const deadlines = this.waiting.map(({ deadline = Number.POSITIVE_INFINITY }) => deadline);
    const due = Math.max(Math.min(...deadlines), this.clock.now() + 1);
    this.#check(this.clock.due <= due, 'no timer for the next deadline');
  }

  #stepIn(): void {
    const { limiter } = this;
    const { request, withdraw, setLimit } = limiter;
    limiter.request = (waiter) => {
      if (waiter.queuedIn !== undefined) return request.call(limiter, waiter);
      const one = this.#open(waiter);
      try {
        request.call(limiter, waiter);
      } catch (error) {
        this.#thrown(one, error);
        throw error;
      }
      this.#check(one.state !== 'asks', 'neither answered nor queued');
    };
    limiter.withdraw = (waiter) => {
      // Otherwise it has no effect: a waiter that leaves before it is queued says so in gone().
      const one = this.waiting.find((other) => other.waiter === waiter);
      if (one !== undefined && isQueued(waiter)) this.#keys.dequeue(one);
      withdraw.call(limiter, waiter);
    };
    limiter.setLimit = (limit) => {
      if (!limiter.closed && limit !== 'adaptive') this.#keys.setLimit(limit);
      setLimit.call(limiter, limit);
    };
    this.#stepInto(this.shared === undefined ? 'tryAcquire' : 'tryWithinLimit');
  }

  /** Gates call `tryWithinLimit`, and `tryAcquire` does so as well. */
  #stepInto(name: 'tryAcquire' | 'tryWithinLimit'): void {
    const limiter = this.limiter as GateableLimiter;
    const acquire = limiter[name];
    limiter[name] = (options: AcquireOptions = {}) => {
      const { weight = 1, limit } = options;
      const key = `${options.key ?? ''}`;
      this.#keys.resize(key, limit);
      const permit = acquire.call(limiter, options);
      const may = this.#admits(key, weight, limit);
      this.#check(
        (permit !== undefined) === may,
        `${name} returned ${permit}, expected a permit: ${may} (limit ${limit})`,
      );
      if (permit !== undefined) this.#hold(this.#caseOf(key, weight), permit, limit);
      return permit;
    };
  }

  #caseOf(key: string, weight: number): Case {
    const waiter = undefined as unknown as Waiter;
    return {
      ...{ waiter, key, weight, deadline: undefined, after: orders, askedAt: this.clock.now() },
      state: 'asks',
      ...{ declined: false, order: 0 },
    };
  }

  #open(waiter: Waiter): Case {
    const { key = '', weight, limit } = waiter;
    const one: Case = { ...this.#caseOf(key, weight), waiter };
    this.#keys.resize(key, limit);
    watchWaiter(waiter, {
      granted: (permit) => this.#granted(one, permit, limit),
      rejected: (rejection) => this.#rejected(one, rejection, limit),
      // The key is in use until its last caller has been called back.
      wasRejected: () => this.#keys.tidy(key),
      mayJoin: (isWilling) => {
        one.declined = !isWilling;
        if (isWilling) this.#join(one, limit);
      },
      leaves: () => {
        if (one.state === 'waits') this.#keys.dequeue(one);
      },
    });
    return one;
  }

  #join(one: Case, limit: number | undefined): void {
    this.#check(one.state === 'asks', 'joins twice');
    one.state = 'waits';
    one.order = this.#orders.get(one.waiter) ?? ++orders;
    if (this.shared?.isPassage(one.waiter)) this.#orders.set(one.waiter, one.order);
    else {
      const { queueTimeout = this.limiter.queueTimeout } = one.waiter;
      one.deadline = Math.ceil(this.clock.now() + queueTimeout);
    }
    this.#keys.enqueue(one, limit);
  }

  #granted(one: Case, permit: Permit, limit: number | undefined): void {
    const [head] = this.#keys.queueOf(one.key);
    this.#check(one.state === 'asks' || one.state === 'waits', `granted in state ${one.state}`);
    this.#check(this.#state.grants, `granted while ${this.#state.name}`);
    if (one.state === 'asks')
      this.#check(head === undefined || this.#state.isShadow, 'barged past waiters');
    else {
      this.#check(head === one, 'granted out of turn');
      this.#check(!this.#isLate(one), 'granted after its deadline');
    }
    const expected = Math.min(one.weight, this.#keys.limitOf(one.key, limit));
    this.#same('weight of the permit', permit.weight, expected);
    this.#check(this.#fits(one.key, permit.weight, limit), 'weight above the limit');
    this.#keys.dequeue(one, true);
    this.#hold(one, permit, limit);
  }

  #hold(one: Case, permit: Permit, limit: number | undefined): void {
    const { key } = one;
    one.state = 'holds';
    this.#keys.hold(key, permit.weight, limit);
    this.live.set(permit, one);
    watchPermit(permit, {
      changes: (weight) => {
        if (this.live.has(permit)) this.#keys.add(key, weight);
      },
      pauses: () => this.#keys.tidy(key),
      releases: () => {
        if (!this.live.delete(permit)) return;
        one.state = 'done';
        this.#keys.tidy(key);
      },
    });
  }

  #rejected(one: Case, { reason, queued, retryAfter }: Rejection, limit: number | undefined): void {
    const { state, key } = one;
    this.#check(state === 'asks' || state === 'waits', `rejected in state ${state}`);
    if (state === 'waits') this.#keys.dequeue(one, true);
    one.state = 'done';
    const queue = this.#keys.queueOf(key);
    const queuedHere = queue.filter(({ waiter }) => isQueued(waiter)).length;
    this.#same('queued', queued, queuedHere);
    this.#check(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60, 'retryAfter');
    if (reason === 'timeout') {
      const due = one.deadline === undefined || this.#isLate(one);
      this.#check(state === 'waits' && due, 'timed out before its deadline');
    } else if (reason === 'closed') {
      const closed = this.#state.isShut || this.shared?.isPassage(one.waiter);
      this.#check(closed === true, 'rejected as closed, but the limiter is open');
    } else if (reason === 'paused') {
      const { queueTimeout = this.limiter.queueTimeout } = one.waiter;
      this.#check(this.#state.pauseLeft > queueTimeout, 'rejected, though the pause ends in time');
    } else if (!one.declined) {
      this.#check(
        queue.length >= this.limiter.queueLimit || this.#isHopeless(one),
        `rejected as ${reason}, but the queue is not full`,
      );
      const free = this.#admits(key, one.weight, limit);
      this.#check(!free, 'rejected, though there was room');
      const late = queue.some(
        (other) => this.#isLate(other, one.askedAt) && other.order <= one.after,
      );
      this.#check(!late, 'rejected because of waiters past their deadline');
    }
  }

  #isHopeless({ waiter }: Case): boolean {
    if (!isHopeless(this.limiter, waiter)) return false;
    this.hopeless = waiter;
    return true;
  }

  #thrown(one: Case, error: unknown): void {
    const { code } = error as { code?: string };
    if (code === 'ERR_HEADGATE_WEIGHT') {
      this.#check(
        one.weight > this.#keys.limitOf(one.key, one.waiter.limit),
        'an error for a weight that could be granted',
      );
      one.state = 'done';
    }
  }

  /** Whether a request that has just arrived must be admitted. */
  #admits(key: string, weight: number, limit: number | undefined): boolean {
    const isNext = this.#state.isShadow || this.#keys.queueOf(key).length === 0;
    return this.#state.grants && isNext && this.#fits(key, weight, limit);
  }

  #fits(key: string, weight: number, own?: number): boolean {
    return this.#state.isShadow || this.#keys.fits(key, weight, own);
  }

  #isLate({ deadline = Number.POSITIVE_INFINITY }: Case, now = this.clock.now()): boolean {
    return now >= deadline;
  }

  #same(what: string, got: unknown, expected: unknown): void {
    this.#check(got === expected, `${what}: ${got}, expected ${expected}`);
  }

  #check(holds: boolean, breach: string): void {
    if (!holds) this.breaches.push(`${this.limiter.name}: ${breach}`);
  }
}
