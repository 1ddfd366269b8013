import type { VirtualClock } from '@headgate/test-suite';
import type { AcquireOptions, LocalLimiter, Permit, Rejection, Waiter } from '../../src/index.ts';
import type { GateableLimiter } from '../../src/limiter/limiter.ts';
import type { BasePermit } from '../../src/semaphore/permit.ts';

/** A request, as the model sees it. */
interface Case {
  readonly waiter: Waiter;
  readonly key: string;
  readonly weight: number;
  /** Deadline; undefined if a gate handles timeouts, or while the request is not queued. */
  deadline: number | undefined;
  /** Number of waiters that arrived before its request. */
  readonly after: number;
  readonly askedAt: number;
  state: 'asks' | 'waits' | 'holds' | 'done';
  declined: boolean;
  order: number;
}

/** A waiter whose joins() returned true may not be queued yet. */
function isQueued({ queuedAt }: Waiter): boolean {
  return queuedAt !== undefined;
}

/** The methods of the waiter's class, without the wrappers of earlier judges. */
function own(waiter: Waiter): Waiter {
  return Object.getPrototypeOf(waiter);
}

/**
 * A reference model of a limiter's guarantees. It wraps a real limiter, observes its requests and answers, and records
 * every violation: weight above the limit, barging, a grant after the deadline, a second answer, idle room.
 */
export class Judge {
  readonly breaches: string[] = [];
  /** Held permits, including those of requests that are still queued at a later limit of their gate. */
  readonly live = new Map<Permit, Case>();
  readonly #queues = new Map<string, Case[]>();
  readonly #held = new Map<string, number>();
  /** The limit of each key in use. */
  readonly #limits = new Map<string, number>();
  readonly #orders: WeakMap<Waiter, number>;
  #limit: number;
  #closed = false;
  #state: 'open' | 'paused' | 'drained' = 'open';
  #isShadow = false;

  constructor(
    readonly limiter: LocalLimiter,
    private readonly clock: VirtualClock,
    /** For the limiters of a gate: its waiters have no deadline of their own, but a common order of arrival. */
    private readonly shared?: {
      isPassage(waiter: Waiter): boolean;
      orders: WeakMap<Waiter, number>;
    },
  ) {
    this.#limit = limiter.limit;
    this.#orders = shared?.orders ?? new WeakMap();
    this.#stepIn();
  }

  /** The waiters, in order of arrival. */
  get waiting(): Case[] {
    return [...this.#queues.values()].flat();
  }

  /** Checks the invariants between two steps. */
  settle(): void {
    const { limiter } = this;
    const stats = limiter.stats();
    this.#same('inflight', limiter.inflight, sum([...this.#held.values()]));
    this.#same('queued', limiter.queued, this.waiting.length);
    if (limiter.perKey) this.#same('keys', stats.keys, this.#limits.size);
    for (const [key, limit] of this.#limits) {
      const inflight = this.#held.get(key) ?? 0;
      const usage = limiter.usage(limiter.perKey ? key : undefined);
      this.#same(`usage of "${key}"`, JSON.stringify(usage), JSON.stringify({ limit, inflight }));
      const [head] = this.#queueOf(key);
      if (head === undefined || !this.#grants || this.#isLate(head)) continue;
      this.#check(
        !this.#fits(key, head.weight),
        `"${key}" has room for its next waiter, which is still queued`,
      );
    }
    const deadlines = this.waiting.map(({ deadline = Number.POSITIVE_INFINITY }) => deadline);
    const due = Math.max(Math.min(...deadlines), this.clock.now() + 1);
    this.#check(this.clock.due <= due, 'no timer for the next deadline');
  }

  get #grants(): boolean {
    return !this.#isShut && this.#state === 'open';
  }

  /** Whether it rejects every request. Open in shadow mode, it does not, even once it is closed. */
  get #isShut(): boolean {
    const isOpen = this.#isShadow && this.#state === 'open';
    return this.#state === 'drained' || (this.#closed && !isOpen);
  }

  #stepIn(): void {
    const { limiter } = this;
    const { request, withdraw, setLimit, close } = limiter;
    limiter.request = (waiter) => {
      if (waiter.queuedAt !== undefined) return request.call(limiter, waiter);
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
      if (one !== undefined && isQueued(waiter)) this.#leave(one);
      withdraw.call(limiter, waiter);
    };
    limiter.setLimit = (limit) => {
      this.#limit = limit;
      for (const key of this.#limits.keys()) this.#limits.set(key, limit);
      setLimit.call(limiter, limit);
    };
    this.#stepInto(this.shared === undefined ? 'tryAcquire' : 'tryWithinLimit');
    for (const name of ['shadow', 'enforce'] as const) {
      const change = limiter[name];
      limiter[name] = () => {
        this.#isShadow = name === 'shadow';
        change.call(limiter);
      };
    }
    for (const [name, state] of states) {
      const change = limiter[name];
      limiter[name] = () => {
        this.#state = state;
        change.call(limiter);
      };
    }
    limiter.close = (options) => {
      this.#closed = true;
      return close.call(limiter, options);
    };
  }

  /** Gates call `tryWithinLimit`, and `tryAcquire` does so as well. */
  #stepInto(name: 'tryAcquire' | 'tryWithinLimit'): void {
    const limiter = this.limiter as GateableLimiter;
    const acquire = limiter[name];
    limiter[name] = (options: AcquireOptions = {}) => {
      const { key = '', weight = 1, limit } = options;
      const resized = this.#resize(key, limit);
      const permit = acquire.call(limiter, options);
      const isNext = this.#isShadow || this.#queueOf(key).length === 0;
      const may = this.#grants && isNext && this.#fits(key, weight, limit);
      this.#check(
        (permit !== undefined) === may,
        `${name} returned ${permit}, expected a permit: ${may} ${resized}`,
      );
      if (permit !== undefined) this.#hold(this.#caseOf(key, weight), permit, limit);
      return permit;
    };
  }

  #caseOf(key: string, weight: number): Case {
    const waiter = undefined as unknown as Waiter;
    const [deadline, after, askedAt] = [undefined, orders, this.clock.now()];
    return {
      waiter,
      key,
      weight,
      deadline,
      after,
      askedAt,
      state: 'asks',
      declined: false,
      order: 0,
    };
  }

  #open(waiter: Waiter): Case {
    const { key = '', weight, limit } = waiter;
    const one: Case = { ...this.#caseOf(key, weight), waiter };
    this.#resize(key, limit);
    waiter.granted = (permit) => {
      this.#granted(one, permit, limit);
      own(waiter).granted.call(waiter, permit);
    };
    waiter.rejected = (rejection) => {
      this.#rejected(one, rejection, limit);
      try {
        own(waiter).rejected.call(waiter, rejection);
      } finally {
        // The key is in use until its last caller has been called back.
        this.#tidy(one.key);
      }
    };
    waiter.joins = () => {
      one.declined = !own(waiter).joins.call(waiter);
      if (!one.declined) this.#join(one, limit);
      return !one.declined;
    };
    waiter.gone = () => {
      let gone = true;
      try {
        gone = own(waiter).gone.call(waiter);
      } finally {
        if (gone && one.state === 'waits') this.#leave(one);
      }
      return gone;
    };
    return one;
  }

  #join(one: Case, limit: number | undefined): void {
    this.#check(one.state === 'asks', 'joins twice');
    one.state = 'waits';
    one.order = this.#orders.get(one.waiter) ?? nextOrder();
    if (this.shared?.isPassage(one.waiter)) this.#orders.set(one.waiter, one.order);
    else {
      const { queueTimeout = this.limiter.queueTimeout } = one.waiter;
      one.deadline = Math.ceil(this.clock.now() + queueTimeout);
    }
    this.#use(one.key, limit);
    const queue = this.#queueOf(one.key);
    queue.push(one);
    queue.sort((a, b) => a.order - b.order);
    this.#queues.set(one.key, queue);
  }

  #granted(one: Case, permit: Permit, limit: number | undefined): void {
    const [head] = this.#queueOf(one.key);
    this.#check(one.state === 'asks' || one.state === 'waits', `granted in state ${one.state}`);
    this.#check(this.#grants, `granted while ${this.#closed ? 'closed' : this.#state}`);
    if (one.state === 'asks')
      this.#check(head === undefined || this.#isShadow, 'barged past waiters');
    else {
      this.#check(head === one, 'granted out of turn');
      this.#check(!this.#isLate(one), 'granted after its deadline');
    }
    const expected = Math.min(one.weight, this.#limitOf(one.key, limit));
    this.#same('weight of the permit', permit.weight, expected);
    this.#check(this.#fits(one.key, permit.weight, limit), 'weight above the limit');
    this.#leave(one, true);
    this.#hold(one, permit, limit);
  }

  #hold(one: Case, permit: Permit, limit: number | undefined): void {
    const { key } = one;
    one.state = 'holds';
    this.#use(key, limit);
    this.#held.set(key, (this.#held.get(key) ?? 0) + permit.weight);
    this.live.set(permit, one);
    const { release, adjust, pauseCounting, countAgain, stopCounting } =
      Object.getPrototypeOf(permit);
    let counts = true;
    let hasStopped = false;
    const add = (weight: number) => {
      if (counts && this.live.has(permit)) this.#held.set(key, (this.#held.get(key) ?? 0) + weight);
    };
    permit.adjust = (weight) => {
      add(weight - permit.weight);
      adjust.call(permit, weight);
    };
    const pause = () => {
      add(-permit.weight);
      counts = false;
      this.#tidy(key);
    };
    const base = permit as BasePermit;
    base.pauseCounting = () => {
      pause();
      pauseCounting.call(permit);
    };
    base.countAgain = () => {
      if (!counts && !hasStopped) {
        counts = true;
        add(permit.weight);
      }
      countAgain.call(permit);
    };
    base.stopCounting = () => {
      pause();
      hasStopped = true;
      stopCounting.call(permit);
    };
    permit.release = (outcome) => {
      add(-permit.weight);
      if (this.live.delete(permit)) {
        one.state = 'done';
        this.#tidy(key);
      }
      release.call(permit, outcome);
    };
  }

  #rejected(one: Case, { reason, queued, retryAfter }: Rejection, limit: number | undefined): void {
    const { state, key } = one;
    this.#check(state === 'asks' || state === 'waits', `rejected in state ${state}`);
    if (state === 'waits') this.#leave(one, true);
    one.state = 'done';
    const queue = this.#queueOf(key);
    const queuedHere = queue.filter(({ waiter }) => isQueued(waiter)).length;
    this.#same('queued', queued, queuedHere);
    this.#check(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60, 'retryAfter');
    if (reason === 'timeout') {
      const due = one.deadline === undefined || this.#isLate(one);
      this.#check(state === 'waits' && due, 'timed out before its deadline');
    } else if (reason === 'closed') {
      const closed = this.#isShut || this.shared?.isPassage(one.waiter);
      this.#check(closed === true, 'rejected as closed, but the limiter is open');
    } else if (!one.declined) {
      this.#check(
        queue.length >= this.limiter.queueLimit,
        `rejected as ${reason}, but the queue is not full`,
      );
      const isNext = this.#isShadow || queue.length === 0;
      const free = this.#grants && isNext && this.#fits(key, one.weight, limit);
      this.#check(!free, 'rejected, though there was room');
      const late = queue.some(
        (other) => this.#isLate(other, one.askedAt) && other.order <= one.after,
      );
      this.#check(!late, 'rejected because of waiters past their deadline');
    }
  }

  #thrown(one: Case, error: unknown): void {
    const { code } = error as { code?: string };
    if (code === 'ERR_HEADGATE_WEIGHT') {
      this.#check(
        one.weight > this.#limitOf(one.key, one.waiter.limit),
        'an error for a weight that could be granted',
      );
      one.state = 'done';
    }
  }

  #leave(one: Case, keepsKey = false): void {
    const queue = this.#queueOf(one.key);
    const index = queue.indexOf(one);
    if (index < 0) return;
    queue.splice(index, 1);
    one.state = 'done';
    if (!keepsKey) this.#tidy(one.key);
  }

  #tidy(key: string): void {
    if (this.#queueOf(key).length > 0 || (this.#held.get(key) ?? 0) > 0) return;
    this.#queues.delete(key);
    this.#held.delete(key);
    this.#limits.delete(key);
  }

  /** The key is in use from its first admitted or queued request. */
  #use(key: string, limit: number | undefined): void {
    if (!this.#limits.has(key)) this.#limits.set(key, limit ?? this.#limit);
  }

  #resize(key: string, limit: number | undefined): string {
    if (limit !== undefined && this.#limits.has(key)) this.#limits.set(key, limit);
    return limit === undefined ? '' : `(limit ${limit})`;
  }

  #limitOf(key: string, limit?: number): number {
    return this.#limits.get(key) ?? limit ?? this.#limit;
  }

  #queueOf(key: string): Case[] {
    return this.#queues.get(key) ?? [];
  }

  #fits(key: string, weight: number, own?: number): boolean {
    const limit = this.#limitOf(key, own);
    return this.#isShadow || (this.#held.get(key) ?? 0) + Math.min(weight, limit) <= limit;
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

const states = [
  ['pause', 'paused'],
  ['drain', 'drained'],
  ['resume', 'open'],
] as const;

let orders = 0;

function nextOrder(): number {
  return ++orders;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
