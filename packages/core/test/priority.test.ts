import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { byPriority, createGate, createLimiter, lifo, type Priority } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

function occupied(options: { order?: ReturnType<typeof byPriority>; queueLimit?: number } = {}) {
  const settings = { limit: 1, queueLimit: 100, order: byPriority() };
  const limiter = createLimiter({ ...settings, ...options });
  let held = call(limiter);
  const waiting: Caller[] = [];
  const ask = (priority: Priority) => {
    const caller = new Caller();
    caller.priority = priority;
    limiter.request(caller);
    waiting.push(caller);
    return caller;
  };
  /** Releases a permit, and returns the waiter that is granted. */
  const next = () => {
    const before = waiting.filter(({ permit }) => permit !== undefined);
    held.permit?.release();
    held = waiting.find((one) => one.permit !== undefined && !before.includes(one)) as Caller;
    return held;
  };
  return { limiter, ask, next };
}

it('higher priorities are granted first, and equal ones in order of arrival', () => {
  const { ask, next } = occupied();
  const classes = ['low', 'normal', 'critical', 'sheddable', 'high', 'critical'] as const;
  const callers = classes.map(ask);
  expect(classes.map(() => callers.indexOf(next()))).toEqual([2, 5, 4, 1, 0, 3]);
});

it('the given order applies within a class', () => {
  const { ask, next } = occupied({ order: byPriority(lifo()) });
  const callers = (['low', 'low', 'high', 'high'] as const).map(ask);
  expect(callers.map(() => callers.indexOf(next()))).toEqual([3, 2, 1, 0]);
});

it('in a full queue, a new request of a higher class displaces the youngest waiter of the lowest', () => {
  const { ask, limiter } = occupied({ queueLimit: 3 });
  const callers = (['low', 'normal', 'low'] as const).map(ask);
  callers.push(ask('low'), ask('critical'), ask('high'), ask('normal'), ask('high'));
  const reasons = callers.map(({ rejection }) => rejection?.reason);
  // Two low ones are displaced, then the normal one; waiters of the same class stay.
  expect(reasons).toEqual([
    'full',
    'full',
    'full',
    'full',
    undefined,
    undefined,
    'full',
    undefined,
  ]);
  expect(limiter.stats()).toMatchObject({ queued: 3, rejected: { full: 5 } });
  expect(ask('high').rejection?.reason).toBe('full');
});

it('a full queue displaces the waiter that the order of the lowest class chooses', () => {
  const { ask } = occupied({ queueLimit: 2, order: byPriority(lifo()) });
  const callers = [ask('high'), ask('low'), ask('low')];
  expect(callers.map(({ rejection }) => rejection?.reason)).toEqual([undefined, 'full', undefined]);
});

it('one grant in ten goes to the oldest waiter of the lower classes', () => {
  const { ask, next } = occupied();
  const lower = [ask('sheddable'), ask('low')];
  for (let count = 0; count < 30; count++) ask('critical');
  const turns = Array.from({ length: 20 }, next);
  expect(lower.map((one) => turns.indexOf(one))).toEqual([9, 19]);
});

it("a grant does not count towards a lower class's turn if no lower class has waiters", () => {
  const { ask, next } = occupied();
  for (let count = 0; count < 20; count++) ask('critical');
  for (let count = 0; count < 15; count++) next();
  const low = ask('low');
  const turns = Array.from({ length: 6 }, next);
  expect(turns.indexOf(low)).toBe(5);
});

it('a priority applies at every limit of a gate', () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 9, order: byPriority() });
  const ask = (key: string, priority: Priority) => {
    const caller = new Caller();
    caller.priority = priority;
    askGate(gate, caller, [{ key, weight: 1 }, { weight: 1 }]);
    return caller;
  };
  const holder = ask('a', 'normal');
  const [low, high] = [ask('b', 'low'), ask('c', 'high')];
  const [lowOfA, highOfA] = [ask('a', 'low'), ask('a', 'critical')];
  holder.permit?.release();
  expect([low, high, lowOfA, highOfA].map(({ answers }) => answers)).toEqual([0, 0, 0, 1]);
  highOfA.permit?.release();
  expect([low, high, lowOfA].map(({ answers }) => answers)).toEqual([0, 1, 0]);
});

it('acquire and run accept a priority, and throw for an unknown one', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9, order: byPriority() });
  const gate = createGate({
    limits: [{ name: 'a', limit: 1 }],
    queueLimit: 9,
    order: byPriority(),
  });
  for (const entrance of [limiter, gate]) {
    const held = await entrance.acquire();
    const turns: string[] = [];
    const running = (['low', 'high'] as const).map((priority) =>
      entrance.run(() => turns.push(priority), { priority }),
    );
    held.release();
    await Promise.all(running);
    expect(turns).toEqual(['high', 'low']);
    const error = { code: 'ERR_HEADGATE_OPTION', option: 'priority' };
    const blocked = await entrance.acquire();
    await expect(entrance.acquire({ priority: 'urgent' as never })).rejects.toMatchObject(error);
    blocked.release();
    expect([entrance.holders, entrance.queued]).toEqual([0, 0]);
  }
});

it('other orders ignore priorities', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const held = call(limiter);
  const [first, second] = [new Caller(), new Caller()];
  second.priority = 'critical';
  for (const caller of [first, second]) limiter.request(caller);
  held.permit?.release();
  expect([first.answers, second.answers]).toEqual([1, 0]);
});

it('longestWait covers all classes, and close() rejects all of them', async () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 9, order: byPriority(), clock });
  const held = await limiter.acquire();
  const waiting = [limiter.acquire({ priority: 'low' })];
  clock.advance(10);
  waiting.push(limiter.acquire({ priority: 'critical' }), limiter.acquire());
  expect(limiter.stats().longestWait).toBe(10);
  const closed = limiter.close();
  for (const one of waiting)
    await expect(one).rejects.toMatchObject({ rejection: { reason: 'closed' } });
  held.release();
  expect(await closed).toBe(0);
});

it('with byPriority() in byPriority(), the youngest waiter of the lowest class is displaced', () => {
  const site = { clock: new VirtualClock(), limit: 1, wake: () => {} };
  const queue = byPriority(byPriority()).create(site);
  const [one, other] = [new Caller({}), new Caller({})];
  for (const [index, waiter] of [one, other].entries()) {
    waiter.arrival = index + 1;
    waiter.priority = 'low';
    queue.insert(waiter);
  }
  expect([queue.oldest, queue.youngest, queue.next]).toEqual([one, other, one]);
});

it('one grant in ten goes to the oldest waiter of the lower classes, even if higher classes have older waiters', () => {
  const { ask, next } = occupied();
  const higher = Array.from({ length: 12 }, () => ask('critical'));
  const [normal, low] = [ask('normal'), ask('low')];
  const granted = Array.from({ length: 10 }, next);
  expect(granted.slice(0, 9)).toEqual(higher.slice(0, 9));
  expect(granted[9]).toBe(normal);
  expect(low.answers).toBe(0);
});

it('a withdrawn waiter does not count as a grant to its class', () => {
  const { limiter, ask, next } = occupied();
  ask('low');
  for (let count = 0; count < 9; count++) limiter.withdraw(ask('critical'));
  const higher = ask('critical');
  expect(next()).toBe(higher);
});

it('in a full queue, a new request of a class below all others displaces no waiter', () => {
  const { ask } = occupied({ queueLimit: 1 });
  const waiting = ask('normal');
  expect([ask('low').rejection?.reason, waiting.answers]).toEqual(['full', 0]);
});
