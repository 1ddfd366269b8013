import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type LocalLimiter, lifo } from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { Caller, call } from './caller.ts';

// The methods of a waiter may call the limiter: no permit is leaked, no waiter answered twice, no limit exceeded.

/** A limit of two, both held, and three waiters; the first one's gone() calls `doing`. */
function asked(doing: (limiter: LocalLimiter, first: Caller) => boolean) {
  const limiter = createLimiter({ limit: 2, queueLimit: 9 });
  const holders = [call(limiter), call(limiter)];
  const first: Caller = new Caller({ gone: () => doing(limiter, first) });
  limiter.request(first);
  const others = [call(limiter), call(limiter)];
  for (const holder of holders) holder.permit?.release();
  return { limiter, first, others };
}

it.each([true, false])('gone() may withdraw its waiter and return %s', (gone) => {
  const { limiter, first, others } = asked((all, one) => {
    all.withdraw(one);
    return gone;
  });
  expect([first, ...others].map(({ answers }) => answers)).toEqual([0, 1, 1]);
  expect(limiter.stats()).toMatchObject({ inflight: 2, queued: 0, withdrawn: 1 });
});

it.each([true, false])('gone() may reject its waiter and return %s', (gone) => {
  const { limiter, first, others } = asked((all, one) => {
    all.reject(one, 'overloaded');
    return gone;
  });
  expect(first.rejection?.reason).toBe('overloaded');
  expect([first, ...others].map(({ answers }) => answers)).toEqual([1, 1, 1]);
  expect(limiter.stats()).toMatchObject({ inflight: 2, queued: 0, withdrawn: 0 });
});

it.each([true, false])('gone() may close the limiter and return %s', (gone) => {
  const { limiter, first, others } = asked((all) => {
    void all.close();
    return gone;
  });
  const all = [first, ...others];
  expect(all.map(({ answers }) => answers)).toEqual([1, 1, 1]);
  expect(all.map(({ rejection }) => rejection?.reason)).toEqual(['closed', 'closed', 'closed']);
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

it('gone() may lower the limit', () => {
  const { limiter, first, others } = asked((all) => {
    all.setLimit(1);
    return false;
  });
  expect([first, ...others].filter(({ permit }) => permit !== undefined)).toHaveLength(1);
  expect(limiter.stats()).toMatchObject({ inflight: 1, queued: 2 });
});

it.each(['a limiter', 'a gate'])('joins() may enqueue another waiter first, at %s', (where) => {
  const limiter = createLimiter({ limit: 1, queueLimit: where === 'a gate' ? 9 : 1 });
  const gate = createGate({ limits: [{ limiter }], queueLimit: 1 });
  const ask = (waiter: Caller) => {
    if (where === 'a gate') askGate(gate, waiter, [{ weight: 1 }]);
    else limiter.request(waiter);
  };
  const other = new Caller();
  const joins = () => {
    ask(other);
    return true;
  };
  const waiter = new Caller({ joins });
  ask(new Caller());
  ask(waiter);
  expect([other.answers, waiter.rejection?.reason, limiter.queued]).toEqual([0, 'full', 1]);
});

it('joins() may fill the queue and return after those waiters have timed out', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: 100, clock });
  const holder = call(limiter);
  const late = new Caller();
  const joins = () => {
    limiter.request(late);
    clock.busy(100);
    return true;
  };
  const last = call(limiter, { joins });
  expect([late.rejection?.reason, last.answers, limiter.queued]).toEqual(['timeout', 0, 1]);
  holder.permit?.release();
  expect(last.answers).toBe(1);
});

it('joins() may close the limiter', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  const holder = call(limiter);
  const joins = () => {
    void limiter.close();
    return true;
  };
  expect(call(limiter, { joins }).rejection?.reason).toBe('closed');
  holder.permit?.release();
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

it('joins() may fill the queue with a waiter that cannot be displaced', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  const holder = call(limiter);
  const other = new Caller();
  const joins = () => {
    limiter.request(other);
    return true;
  };
  expect(call(limiter, { joins }).rejection?.reason).toBe('full');
  holder.permit?.release();
  expect(other.answers).toBe(1);
});

it('a new request displaces no waiter if one expires during its joins()', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 2, order: lifo(), clock });
  limiter.tryAcquire();
  const other = call(limiter, { queueTimeout: 1000 });
  let short: Caller | undefined;
  const joins = () => {
    short = call(limiter, { queueTimeout: 10 });
    clock.busy(20);
    return true;
  };
  const newcomer = call(limiter, { joins, queueTimeout: 1000 });
  expect(short?.rejection?.reason).toBe('timeout');
  expect([other.answers, newcomer.answers, limiter.queued]).toEqual([0, 0, 2]);
});

it('rejected() may throw without blocking the next waiter or the eviction of its key', async () => {
  const clock = new VirtualClock();
  const settings = { limit: 2, queueLimit: 9, queueTimeout: 10, clock };
  const limiter = createLimiter({ ...settings, perKey: true });
  const key = 'a';
  const holder = call(limiter, { key });
  const bug = new Error('a bug of the app');
  const onRejected = () => {
    throw bug;
  };
  call(limiter, { key, weight: 2, onRejected });
  const next = call(limiter, { key, queueTimeout: 50 });
  expect(await uncaughtIn(() => clock.advance(10))).toEqual([bug]);
  expect(next.permit).toBeDefined();
  next.permit?.release();
  const errors = await uncaughtIn(() => {
    call(limiter, { key, weight: 2, onRejected });
    holder.permit?.release();
    clock.advance(10);
  });
  expect(errors).toEqual([]);
});

it("a grant that releases another limiter's permit returns before that limiter grants", () => {
  const [one, other] = [1, 2].map(() => createLimiter({ limit: 1, queueLimit: 9 })) as [
    LocalLimiter,
    LocalLimiter,
  ];
  const [held, heldThere] = [one.tryAcquire(), other.tryAcquire()];
  const events: string[] = [];
  const onGranted = () => {
    events.push('begins');
    heldThere?.release();
    events.push('ends');
  };
  call(one, { onGranted });
  call(other, { onGranted: () => events.push('granted there') });
  held?.release();
  expect(events).toEqual(['begins', 'ends', 'granted there']);
});
