import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createGate,
  createLimiter,
  fair,
  type Gate,
  type Order,
  type Priority,
} from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';
import { Caller, call } from './caller.ts';
import { outcome, settled, World } from './distributed/world.ts';

const app: Amounts = [undefined, undefined, { weight: 1 }];
const narrow: Amounts = [undefined, { weight: 1 }, { weight: 1 }];
const one = { weight: 1 };
const narrowest: Amounts = [{ weight: 1 }, { weight: 1 }, { weight: 1 }];

/** Requests a permit of a gate with this priority. */
function askAt(gate: Gate, priority: Priority, amounts: Amounts): Caller {
  const caller = new Caller({ priority });
  askGate(gate, caller, amounts);
  return caller;
}

function scene(order: Order = byPriority()) {
  const limits = [
    { name: 'narrowest', limit: 1, optional: true },
    { name: 'narrow', limit: 1, optional: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 99, order });
  const ask = (priority: Priority, amounts: Amounts) => askAt(gate, priority, amounts);
  /** Releases one permit; returns the callers that hold one then. */
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

it('a request that holds a narrow limit inherits the highest priority queued for that limit', () => {
  const { ask, turns } = scene();
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  const others = [ask('normal', app), ask('normal', app)];
  const critical = ask('critical', narrow);
  expect(turns(holder, [low, ...others, critical])).toEqual([0, 3, 1, 2]);
});

it('inheritance is transitive over several limits', () => {
  const { ask, turns } = scene();
  const holder = ask('normal', app);
  const sheddable = ask('sheddable', narrow);
  const low = ask('low', narrowest);
  const normal = ask('normal', app);
  const high = ask('high', narrowest);
  expect(turns(holder, [sheddable, low, normal, high])).toEqual([0, 1, 3, 2]);
});

it('a request inherits the priority of waiters that were queued before it reached the next limit', () => {
  const { gate, ask, turns } = scene();
  const holder = ask('normal', narrow);
  // Both are queued for the narrow limit; the first is granted by the turn of the lower classes.
  const critical = Array.from({ length: 9 }, () => ask('critical', narrow));
  const low = ask('low', narrow);
  critical.push(ask('critical', narrow));
  let held = holder;
  for (const caller of critical.slice(0, 8)) {
    held.permit?.release();
    held = caller;
  }
  // The ninth holds the app's only permit; the turn of the low priority at the narrow limit is next.
  const other = createGate({
    limits: Object.values(gate.limiters)
      .slice(2)
      .map((limiter) => ({ limiter })),
  });
  const outsiders = ['normal', 'normal'].map((priority) => {
    const caller = new Caller({ priority: priority as Priority });
    other.request(caller, [{ limiter: Object.values(gate.limiters)[2] as never, weight: 1 }]);
    return caller;
  });
  const order = turns(held, [...critical.slice(8), low, ...outsiders]);
  // Critical first, then the low one ahead of all normal ones, critical again, and the others.
  expect(order.indexOf(2)).toBeLessThan(order.indexOf(3));
});

it('a waiter of equal priority, or of another limit, raises no request', () => {
  const { ask, turns } = scene();
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  const normal = ask('normal', app);
  const [equal, critical] = [ask('low', narrow), ask('critical', app)];
  expect(turns(holder, [low, normal, equal, critical])).toEqual([3, 1, 0, 2]);
});

it.each([
  ['byPriority() of flows', byPriority(fair())],
  ['fair() of priorities', fair(byPriority())],
  ['byShare() of priorities', byShare({ gold: 0.5 }, byPriority())],
])('requests inherit priorities with %s', (_, order) => {
  const { ask, turns } = scene(order);
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  const normal = ask('normal', app);
  const critical = ask('critical', narrow);
  expect(turns(holder, [low, normal, critical])[0]).toBe(0);
});

it('a permit is no longer tracked after its request was admitted, withdrawn or rejected', () => {
  const { gate, ask } = scene();
  const holder = ask('normal', app);
  const low = ask('low', narrow);
  gate.withdraw(low);
  const next = ask('low', narrow);
  const critical = ask('critical', narrow);
  holder.permit?.release();
  next.permit?.release();
  critical.permit?.release();
  expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, withdrawn: 1, admitted: 3 });
});

it('requests inherit priorities across gates that reuse the same limiters', () => {
  const order = byPriority();
  const settings = { limit: 1, queueLimit: 99, order };
  const limiters = ['narrow', 'app'].map((name) => createLimiter({ ...settings, name }));
  const [first, last] = limiters.map((limiter) => ({ limiter }));
  if (first === undefined || last === undefined) throw new Error('no limiters');
  const one = createGate({ limits: [first, last], queueLimit: 9 });
  const other = createGate({ limits: [first, last], queueLimit: 9 });
  const { turns } = scene();
  const both: Amounts = [{ weight: 1 }, { weight: 1 }];
  const holder = askAt(one, 'normal', [undefined, { weight: 1 }]);
  const low = askAt(one, 'low', both);
  const normal = askAt(other, 'normal', [undefined, { weight: 1 }]);
  const critical = askAt(other, 'critical', both);
  expect(turns(holder, [low, normal, critical])).toEqual([0, 2, 1]);
});

it('priorities are inherited through a limit whose queue has no priorities', () => {
  const order = byPriority();
  const first = createLimiter({ name: 'first', limit: 1, queueLimit: 9, order });
  const plain = createLimiter({ name: 'plain', limit: 1, queueLimit: 9 });
  const last = createLimiter({ name: 'last', limit: 1, queueLimit: 9, order });
  const gate = createGate({
    limits: [first, plain, last].map((limiter) => ({ limiter })),
    queueLimit: 9,
  });
  const [atPlain, atLast] = [call(plain), call(last)];
  const low = askAt(gate, 'low', [one, one, one]);
  const normal = call(last, { priority: 'normal' });
  askAt(gate, 'high', [one, one, one]);
  atPlain.permit?.release();
  atLast.permit?.release();
  expect([low.answers, normal.answers]).toEqual([1, 0]);
});

it('a request inherits a priority that arrives while another waiter is displaced for it', () => {
  const order = byPriority();
  const first = createLimiter({ name: 'first', limit: 1, queueLimit: 9, order });
  const last = createLimiter({ name: 'last', limit: 1, queueLimit: 1, order });
  const gate = createGate({ limits: [{ limiter: first }, { limiter: last }], queueLimit: 9 });
  call(last);
  const onRejected = () => void askAt(gate, 'high', [one, one]);
  call(last, { priority: 'low', onRejected });
  const normal = askAt(gate, 'normal', [one, one]);
  // It now has the same priority, and arrived later.
  const high = call(last, { priority: 'high' });
  expect([normal.answers, high.rejection?.reason]).toEqual([0, 'full']);
});

it('a queue in a store does not inherit priorities', async () => {
  const world = new World();
  const first = { name: 'first', limit: 1, perKey: true } as const;
  const shared = { name: 'shared', limit: 1, store: world.connect() } as const;
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
  expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, admitted: 3 });
});

it('a waiter of a lower priority does not lower the priority of the request that blocks it', () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 9, order: byPriority() });
  const ask = (key: string | undefined, priority: Priority) =>
    askAt(gate, priority, [key === undefined ? undefined : { key, weight: 1 }, { weight: 1 }]);
  const holder = ask(undefined, 'normal');
  const [first, second] = [ask('a', 'critical'), ask('b', 'critical')];
  ask('a', 'high');
  holder.permit?.release();
  expect([first.answers, second.answers]).toEqual([1, 0]);
});
