import { expect, it } from 'vitest';
import {
  byParty,
  byPriority,
  byShare,
  createGate,
  createLimiter,
  type Gate,
  type Order,
  type Priority,
} from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';
import { Caller } from './caller.ts';

const app: Amounts = [undefined, undefined, { weight: 1 }];
const narrow: Amounts = [undefined, { weight: 1 }, { weight: 1 }];
const narrowest: Amounts = [{ weight: 1 }, { weight: 1 }, { weight: 1 }];

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
