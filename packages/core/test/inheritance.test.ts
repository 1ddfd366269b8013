import { expect, it } from 'vitest';
import {
  byParty,
  byPriority,
  byShare,
  codel,
  createGate,
  createLimiter,
  type Gate,
  type Order,
  type Priority,
  type Sample,
} from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';
import { Caller, call } from './caller.ts';
import { outcome, settled, World } from './shared/world.ts';
import { VirtualClock } from './virtual-clock.ts';

const app: Amounts = [undefined, undefined, { weight: 1 }];
const narrow: Amounts = [undefined, { weight: 1 }, { weight: 1 }];
const one = { weight: 1 };
const narrowest: Amounts = [{ weight: 1 }, { weight: 1 }, { weight: 1 }];

/** What is in flight at each sample. */
const seen: number[] = [];
const fixed = {
  create: () => ({ limit: 1, sample: ({ inflight }: Sample) => void seen.push(inflight) }),
};

/** A caller of this class that has asked. */
function as(
  priority: Priority,
  asks: (caller: Caller) => void,
  onRejected: () => void = () => {},
): Caller {
  const caller = new Caller({ onRejected });
  caller.priority = priority;
  asks(caller);
  return caller;
}

function scene(order: Order = byPriority()) {
  const limits = [
    { name: 'narrowest', limit: 1, optional: true },
    { name: 'narrow', limit: 1, optional: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 99, order });
  const ask = (priority: Priority, shares: Amounts, at: Gate = gate) => {
    const caller = new Caller();
    caller.priority = priority;
    askGate(at, caller, shares);
    return caller;
  };
  /** One leaves; who is in then? */
  const turns = (first: Caller, others: Caller[]) => {
    const order: number[] = [];
    for (let held: Caller | undefined = first; held !== undefined; ) {
      held.permit?.release();
      const index = others.findIndex((one, at) => one.permit !== undefined && !order.includes(at));
      if (index >= 0) order.push(index);
      held = others[index];
    }
    return order;
  };
  return { gate, ask, turns };
}

it('who holds a narrow limit is of the highest class that waits behind it', () => {
  const { ask, turns } = scene();
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  const others = [ask('normal', app), ask('normal', app)];
  const critical = ask('critical', narrow);
  expect(turns(holder, [low, ...others, critical])).toEqual([0, 3, 1, 2]);
});

it('and so is, in turn, who holds what that one waits for', () => {
  const { ask, turns } = scene();
  const holder = ask('normal', app);
  const sheddable = ask('sheddable', narrow);
  const low = ask('low', narrowest);
  const normal = ask('normal', app);
  const high = ask('high', narrowest);
  expect(turns(holder, [sheddable, low, normal, high])).toEqual([0, 1, 3, 2]);
});

it('also who comes to the next limit when they wait behind it already', () => {
  const { gate, ask, turns } = scene();
  const holder = ask('normal', narrow);
  // Both wait for the narrow limit; the first of them is let in by a lucky turn of the lower classes.
  const critical = Array.from({ length: 9 }, () => ask('critical', narrow));
  const low = ask('low', narrow);
  critical.push(ask('critical', narrow));
  let held = holder;
  for (const caller of critical.slice(0, 8)) {
    held.permit?.release();
    held = caller;
  }
  // The ninth has the app's only place; the low one's turn at the narrow limit comes next.
  const other = createGate({ limits: gate.limits.slice(2).map(({ limiter }) => ({ limiter })) });
  const outsiders = ['normal', 'normal'].map((priority) => {
    const caller = new Caller();
    caller.priority = priority as Priority;
    other.request(caller, [{ limiter: gate.limits[2]?.limiter as never, weight: 1 }]);
    return caller;
  });
  const order = turns(held, [...critical.slice(8), low, ...outsiders]);
  // Critical, the low one ahead of all that are normal, critical again, and the others.
  expect(order.indexOf(2)).toBeLessThan(order.indexOf(3));
});

it('nobody is raised by an equal, nor by one who waits for something else', () => {
  const { ask, turns } = scene();
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  const normal = ask('normal', app);
  const [equal, critical] = [ask('low', narrow), ask('critical', app)];
  expect(turns(holder, [low, normal, equal, critical])).toEqual([3, 1, 0, 2]);
});

it.each([
  ['byPriority() of parties', byPriority(byParty())],
  ['byParty() of priorities', byParty(byPriority())],
  ['byShare() of priorities', byShare({ gold: 0.5 }, byPriority())],
])('with %s', (_, order) => {
  const { ask, turns } = scene(order);
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  const normal = ask('normal', app);
  const critical = ask('critical', narrow);
  expect(turns(holder, [low, normal, critical])[0]).toBe(0);
});

it('nothing is kept of those who have passed, left or been turned away', () => {
  const { gate, ask } = scene();
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  gate.withdraw(low);
  const next = ask('low', narrow);
  const critical = ask('critical', narrow);
  holder.permit?.release();
  next.permit?.release();
  critical.permit?.release();
  expect(gate.stats()).toMatchObject({ inflight: 0, queued: 0, withdrawn: 1, admitted: 3 });
});

it('works where the gates share their limiters', () => {
  const order = byPriority();
  const settings = { limit: 1, queueLimit: 99, order };
  const limiters = ['narrow', 'app'].map((name) => createLimiter({ ...settings, name }));
  const [first, last] = limiters.map((limiter) => ({ limiter }));
  if (first === undefined || last === undefined) throw new Error('no limiters');
  const one = createGate({ limits: [first, last], queueLimit: 9 });
  const other = createGate({ limits: [first, last], queueLimit: 9 });
  const { turns, ask } = scene();
  const both: Amounts = [{ weight: 1 }, { weight: 1 }];
  const holder = ask('normal', [undefined, { weight: 1 }], one);
  const low = ask('low', both, one);
  const normal = ask('normal', [undefined, { weight: 1 }], other);
  const critical = ask('critical', both, other);
  expect(turns(holder, [low, normal, critical])).toEqual([0, 2, 1]);
});

it('a permit that was taken back on the way is not held for its request any more', () => {
  const clock = new VirtualClock();
  const settings = { limit: 1, queueLimit: 9, queueTimeout: Infinity, clock };
  const moving = { ...settings, limit: fixed, name: 'a', maxHold: 100, observer: { leaked() {} } };
  const a = createLimiter({ ...moving, order: byPriority() });
  const [b, c] = ['b', 'c'].map((name) => createLimiter({ ...settings, name }));
  if (b === undefined || c === undefined) throw new Error('no limiters');
  const limits = [{ limiter: a }, { limiter: b }, { limiter: c }];
  const gate = createGate({ limits, queueLimit: 9, queueTimeout: 200, clock });
  const each: Amounts = [{ weight: 1 }, { weight: 1 }, { weight: 1 }];
  for (let round = 0; round < 3; round++) {
    const [atB, atC] = [b.tryAcquire(), c.tryAcquire()];
    askGate(gate, new Caller(), each);
    clock.advance(150);
    atB?.release();
    clock.advance(100);
    atC?.release();
  }
  seen.length = 0;
  a.tryAcquire()?.release();
  // Of what is in flight, nothing is left out for requests that have long gone.
  expect(seen).toEqual([1]);
});

it('a line is not overloaded because somebody has waited elsewhere before', () => {
  const clock = new VirtualClock();
  const limits = [
    { name: 'narrow', limit: 1, optional: true },
    { name: 'app', limit: 2 },
  ];
  const settings = { queueLimit: 9, queueTimeout: Infinity, clock };
  const gate = createGate({ ...settings, limits, order: codel({ target: 5, interval: 100 }) });
  const ask = (...amounts: Amounts) => {
    const caller = new Caller();
    askGate(gate, caller, amounts);
    return caller;
  };
  ask(undefined, { weight: 1 });
  const [first, traveller] = [ask({ weight: 1 }, { weight: 1 }), ask({ weight: 1 }, { weight: 1 })];
  clock.advance(500);
  gate.limits[1]?.limiter.setLimit(1);
  first.permit?.release();
  ask(undefined, { weight: 1 });
  expect(traveller.rejection).toBeUndefined();
  expect(gate.queued).toBe(2);
});

it('through a line that knows no classes, to the one behind it', () => {
  const order = byPriority();
  const first = createLimiter({ name: 'first', limit: 1, queueLimit: 9, order });
  const plain = createLimiter({ name: 'plain', limit: 1, queueLimit: 9 });
  const last = createLimiter({ name: 'last', limit: 1, queueLimit: 9, order });
  const gate = createGate({
    limits: [first, plain, last].map((limiter) => ({ limiter })),
    queueLimit: 9,
  });
  const [atPlain, atLast] = [call(plain), call(last)];
  const low = as('low', (caller) => askGate(gate, caller, [one, one, one]));
  const normal = as('normal', (caller) => last.request(caller));
  as('high', (caller) => askGate(gate, caller, [one, one, one]));
  atPlain.permit?.release();
  atLast.permit?.release();
  expect([low.answers, normal.answers]).toEqual([1, 0]);
});

it('also where the higher one comes while room is made for the lower in the line there', () => {
  const order = byPriority();
  const first = createLimiter({ name: 'first', limit: 1, queueLimit: 9, order });
  const last = createLimiter({ name: 'last', limit: 1, queueLimit: 1, order });
  const gate = createGate({ limits: [{ limiter: first }, { limiter: last }], queueLimit: 9 });
  call(last);
  const asksForFirst = () => void as('high', (caller) => askGate(gate, caller, [one, one]));
  as('low', (caller) => last.request(caller), asksForFirst);
  const normal = as('normal', (caller) => askGate(gate, caller, [one, one]));
  // Of the same class by now, and later.
  const high = as('high', (caller) => last.request(caller));
  expect([normal.answers, high.rejection?.reason]).toEqual([0, 'full']);
});

it('is of no use where the line behind is in a store, and does no harm', async () => {
  const world = new World();
  const first = { name: 'first', limit: 1, perKey: true } as const;
  const shared = { name: 'shared', limit: 1, store: world.line() } as const;
  const { clock } = world;
  const gate = createGate({ limits: [first, shared], queueLimit: 9, order: byPriority(), clock });
  const held = await gate.acquire({ keys: { first: 'ann' } });
  const low = outcome(gate.acquire({ keys: { first: 'bob' }, priority: 'low' }));
  await settled();
  const high = outcome(gate.acquire({ keys: { first: 'bob' }, priority: 'high' }));
  await settled();
  held.release();
  await settled();
  expect([low.permit !== undefined, high.permit !== undefined]).toEqual([true, false]);
  low.permit?.release();
  await settled();
  high.permit?.release();
  await settled();
  expect(gate.stats()).toMatchObject({ inflight: 0, queued: 0, admitted: 3 });
});

it('a waiter of a lower class does not lower the class of the request that it waits for', () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 9, order: byPriority() });
  const ask = (key: string | undefined, priority: Priority) =>
    as(priority, (caller) =>
      askGate(gate, caller, [key === undefined ? undefined : { key, weight: 1 }, { weight: 1 }]),
    );
  const holder = ask(undefined, 'normal');
  const [first, second] = [ask('a', 'critical'), ask('b', 'critical')];
  ask('a', 'high');
  holder.permit?.release();
  expect([first.answers, second.answers]).toEqual([1, 0]);
});
