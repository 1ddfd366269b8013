import type { LocalLimiter, Permit, Rejection, Waiter } from '../../src/index.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** A caller's case before the judge. */
interface Case {
  readonly waiter: Waiter;
  readonly key: string;
  readonly weight: number;
  /** When its time is up; undefined where a gate sees to that, or while it does not wait. */
  deadline: number | undefined;
  /** How many had come before it asked. */
  readonly after: number;
  readonly askedAt: number;
  state: 'asks' | 'waits' | 'holds' | 'done';
  declined: boolean;
  order: number;
}

/** The methods as the waiter's class has them, whoever has watched it before. */
function own(waiter: Waiter): Waiter {
  return Object.getPrototypeOf(waiter);
}

/**
 * A model of a limiter that knows only the promises. It stands around a real one, sees what is asked and answered,
 * and notes every breach: weight above the limit, barging, a grant after the deadline, a second answer, idle room.
 */
export class Judge {
  readonly breaches: string[] = [];
  /** Who holds what; also who is still on its way through a gate. */
  readonly live = new Map<Permit, Case>();
  readonly #lines = new Map<string, Case[]>();
  readonly #held = new Map<string, number>();
  /** The limit of each key in use. */
  readonly #limits = new Map<string, number>();
  readonly #orders: WeakMap<Waiter, number>;
  #limit: number;
  #closed = false;

  constructor(
    readonly limiter: LocalLimiter,
    private readonly clock: VirtualClock,
    /** Whose waiters carry no deadline of their own, but share one order of arrival: a gate's. */
    private readonly shared?: {
      isPassage(waiter: Waiter): boolean;
      orders: WeakMap<Waiter, number>;
    },
  ) {
    this.#limit = limiter.limit;
    this.#orders = shared?.orders ?? new WeakMap();
    this.#stepIn();
  }

  /** Who waits, in order of arrival. */
  get waiting(): Case[] {
    return [...this.#lines.values()].flat();
  }

  /** What must hold whenever nothing is going on. */
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
      const [head] = this.#line(key);
      if (head === undefined || this.#closed || this.#isLate(head)) continue;
      this.#check(!this.#fits(key, head.weight), `"${key}" has room for its head, which waits`);
    }
    const deadlines = this.waiting.map(({ deadline = Number.POSITIVE_INFINITY }) => deadline);
    const due = Math.max(Math.min(...deadlines), this.clock.now() + 1);
    this.#check(this.clock.due <= due, 'no timer sees to the next deadline');
  }

  #stepIn(): void {
    const { limiter } = this;
    const { request, tryAcquire, withdraw, setLimit, close } = limiter;
    limiter.request = (waiter) => {
      if (waiter.place !== undefined) return request.call(limiter, waiter);
      const one = this.#open(waiter);
      try {
        request.call(limiter, waiter);
      } catch (error) {
        this.#thrown(one, error);
        throw error;
      }
      this.#check(one.state !== 'asks', 'no answer, but not in the line either');
    };
    limiter.tryAcquire = (options = {}) => {
      const { key = '', weight = 1, limit } = options;
      const resized = this.#resize(key, limit);
      const permit = tryAcquire.call(limiter, options);
      const may = !this.#closed && this.#line(key).length === 0 && this.#fits(key, weight, limit);
      this.#check(
        (permit !== undefined) === may,
        `tryAcquire gave ${permit}, may: ${may} ${resized}`,
      );
      if (permit !== undefined) this.#hold(this.#caseOf(key, weight), permit, limit);
      return permit;
    };
    limiter.withdraw = (waiter) => {
      const one = this.waiting.find((other) => other.waiter === waiter);
      if (one !== undefined) this.#leave(one);
      withdraw.call(limiter, waiter);
    };
    limiter.setLimit = (limit) => {
      this.#limit = limit;
      for (const key of this.#limits.keys()) this.#limits.set(key, limit);
      setLimit.call(limiter, limit);
    };
    limiter.close = (options) => {
      this.#closed = true;
      return close.call(limiter, options);
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
        // The key is in use until its last caller has been told.
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
    const line = this.#line(one.key);
    line.push(one);
    line.sort((a, b) => a.order - b.order);
    this.#lines.set(one.key, line);
  }

  #granted(one: Case, permit: Permit, limit: number | undefined): void {
    const [head] = this.#line(one.key);
    this.#check(one.state === 'asks' || one.state === 'waits', `granted, though it ${one.state}`);
    this.#check(!this.#closed, 'granted after close');
    if (one.state === 'asks') this.#check(head === undefined, 'barged past those who wait');
    else {
      this.#check(head === one, 'granted out of turn');
      this.#check(!this.#isLate(one), 'granted after its deadline');
    }
    const most = Math.min(one.weight, this.#limitOf(one.key, limit));
    this.#same('weight of the permit', permit.weight, most);
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
    const { release, adjust } = Object.getPrototypeOf(permit);
    permit.adjust = (weight) => {
      const change = this.live.has(permit) ? weight - permit.weight : 0;
      this.#held.set(key, (this.#held.get(key) ?? 0) + change);
      adjust.call(permit, weight);
    };
    permit.release = (outcome) => {
      if (this.live.delete(permit)) {
        one.state = 'done';
        this.#held.set(key, (this.#held.get(key) ?? 0) - permit.weight);
        this.#tidy(key);
      }
      release.call(permit, outcome);
    };
  }

  #rejected(one: Case, { reason, queued, retryAfter }: Rejection, limit: number | undefined): void {
    const { state, key } = one;
    this.#check(state === 'asks' || state === 'waits', `rejected, though it ${state}`);
    if (state === 'waits') this.#leave(one, true);
    one.state = 'done';
    const line = this.#line(key);
    // Who has said that it joins may not stand in the line yet.
    const standing = line.filter(({ waiter }) => waiter.place !== undefined).length;
    this.#same('queued', queued, standing);
    this.#check(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60, 'retryAfter');
    if (reason === 'timeout') {
      const due = one.deadline === undefined || this.#isLate(one);
      this.#check(state === 'waits' && due, 'timed out before its time');
    } else if (reason === 'closed') {
      const closed = this.#closed || this.shared?.isPassage(one.waiter);
      this.#check(closed === true, 'closed, but it is open');
    } else if (!one.declined) {
      this.#check(line.length >= this.limiter.queueLimit, `${reason}, but the line is not`);
      const free = line.length === 0 && this.#fits(key, one.weight, limit);
      this.#check(!free, 'turned away, though there was room');
      const late = line.some(
        (other) => this.#isLate(other, one.askedAt) && other.order <= one.after,
      );
      this.#check(!late, 'full of late ones');
    }
  }

  #thrown(one: Case, error: unknown): void {
    const { code } = error as { code?: string };
    if (code === 'ERR_HEADGATE_WEIGHT') {
      this.#check(
        one.weight > this.#limitOf(one.key, one.waiter.limit),
        'a weight that could be had',
      );
      one.state = 'done';
    }
  }

  #leave(one: Case, keepsKey = false): void {
    const line = this.#line(one.key);
    const index = line.indexOf(one);
    if (index < 0) return;
    line.splice(index, 1);
    one.state = 'done';
    if (!keepsKey) this.#tidy(one.key);
  }

  #tidy(key: string): void {
    if (this.#line(key).length > 0 || (this.#held.get(key) ?? 0) > 0) return;
    this.#lines.delete(key);
    this.#held.delete(key);
    this.#limits.delete(key);
  }

  /** From the first who is admitted or waits, the key is in use. */
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

  #line(key: string): Case[] {
    return this.#lines.get(key) ?? [];
  }

  #fits(key: string, weight: number, own?: number): boolean {
    const limit = this.#limitOf(key, own);
    return (this.#held.get(key) ?? 0) + Math.min(weight, limit) <= limit;
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

let orders = 0;

function nextOrder(): number {
  return ++orders;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
