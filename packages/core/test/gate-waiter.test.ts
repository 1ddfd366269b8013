import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type Gate, type GateOptions } from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';
import { Caller } from './caller.ts';

// What a waiter of a gate may do, and what happens to the permits that it already holds.

type Wishes = ConstructorParameters<typeof Caller>[0];

const limits = [
  { name: 'user', limit: 1, perKey: true },
  { name: 'app', limit: 1 },
];

function gateWith(options: Partial<GateOptions> = {}) {
  const clock = new VirtualClock();
  const gate = createGate({ limits, queueLimit: 9, queueTimeout: 100, clock, ...options });
  const ask = (key: string, wishes?: Wishes) => {
    const caller = new Caller(wishes);
    askGate(gate, caller, demands(key));
    return caller;
  };
  return { clock, gate, ask };
}

/** Requests a weight of the app's limit, without a user. */
function askFor(gate: Gate, weight: number): Caller {
  const caller = new Caller();
  askGate(gate, caller, [undefined, { weight }]);
  return caller;
}

const demands = (key: string): Amounts => [{ key, weight: 1 }, { weight: 1 }];

function expectQuiet(gate: Gate): void {
  expect(gate.stats()).toMatchObject({ inflight: 0, queued: 0 });
  for (const limit of gate.stats().limits) {
    expect(limit).toMatchObject({ inflight: 0, queued: 0, keys: 0 });
  }
}

it('withdrawing a queued request releases the permits it already holds and sends no answer', () => {
  const { gate, ask } = gateWith();
  const holder = ask('a');
  const waiting = ask('b');
  gate.withdraw(waiting);
  gate.withdraw(waiting);
  gate.withdraw(holder);
  expect(gate.stats()).toMatchObject({ queued: 0, withdrawn: 1, limits: [{ inflight: 1 }, {}] });
  holder.permit?.release();
  expect(waiting.answers).toBe(0);
  expectQuiet(gate);
});

it('a withdrawn request is not counted as queued while the next one is granted', () => {
  const app = { name: 'app', limit: 3 };
  const { gate } = gateWith({
    limits: [{ name: 'user', limit: 1, perKey: true }, app],
    queueLimit: 2,
  });
  askFor(gate, 2);
  const heavy = askFor(gate, 3);
  let asked: Caller[] = [];
  const onGranted = () => {
    asked = [askFor(gate, 1), askFor(gate, 1)];
  };
  const next = new Caller({ onGranted });
  askGate(gate, next, [undefined, { weight: 1 }]);
  gate.withdraw(heavy);
  expect(asked.map(({ rejection }) => rejection)).toEqual([undefined, undefined]);
  expect([next.answers, gate.queued]).toEqual([1, 2]);
});

it('a waiter whose client has disconnected unnoticed is skipped, and the next one is granted', () => {
  const { gate, ask } = gateWith();
  const holder = ask('a');
  const gone = ask('b', { gone: () => true });
  const next = ask('b');
  holder.permit?.release();
  expect([gone.answers, next.answers]).toEqual([0, 1]);
  expect(gate.stats().withdrawn).toBe(1);
  next.permit?.release();
  expectQuiet(gate);
});

it('a waiter whose gone() throws is removed, its permits are released, and the error surfaces', async () => {
  const { gate, ask } = gateWith();
  const holder = ask('a');
  const error = new Error('gone?');
  const gone = () => {
    throw error;
  };
  ask('b', { gone });
  expect(await uncaughtIn(() => holder.permit?.release())).toEqual([error]);
  expectQuiet(gate);
});

it('a waiter whose granted() throws releases all its permits, and the error surfaces', async () => {
  const { gate, ask } = gateWith();
  const error = new Error('granted');
  const onGranted = () => {
    throw error;
  };
  expect(() => ask('a', { onGranted })).toThrow(error);
  expectQuiet(gate);
  const holder = ask('a');
  ask('b', { onGranted });
  const next = ask('b');
  expect(await uncaughtIn(() => holder.permit?.release())).toEqual([error]);
  expect(next.answers).toBe(1);
  next.permit?.release();
  expectQuiet(gate);
});

it.each(['user', 'app'])(
  'a waiter that requests again in granted() and then throws stays queued (it waited for the %s)',
  async (last) => {
    const { gate, ask } = gateWith({
      limits: [
        { ...limits[0], limit: 1 },
        { ...limits[1], limit: 3 },
      ] as typeof limits,
    });
    const holder = last === 'user' ? ask('b') : askFor(gate, 3);
    ask('c');
    const error = new Error('granted');
    let caller: Caller | undefined;
    const onGranted = () => {
      if (caller === undefined || caller.answers > 1) return;
      askGate(gate, caller, demands('c'));
      throw error;
    };
    caller = ask('b', { onGranted });
    expect(await uncaughtIn(() => holder.permit?.release())).toEqual([error]);
    expect([caller.answers, gate.queued]).toEqual([1, 1]);
    gate.withdraw(caller);
    expect(gate.queued).toBe(0);
  },
);

it('a waiter whose rejected() throws stops no other waiter, and the error surfaces', async () => {
  const { clock, gate, ask } = gateWith();
  const holder = ask('a');
  const error = new Error('rejected');
  const onRejected = () => {
    throw error;
  };
  const callers = [ask('b', { onRejected }), ask('c')];
  expect(await uncaughtIn(() => clock.advance(100))).toEqual([error]);
  expect(callers.map(({ rejection }) => rejection?.reason)).toEqual(['timeout', 'timeout']);
  holder.permit?.release();
  expectQuiet(gate);
});

it('a waiter that requests again in rejected() has a deadline as well', () => {
  const { clock, gate, ask } = gateWith();
  const holder = ask('a');
  const again: Caller[] = [];
  ask('b', { onRejected: () => void again.push(ask('b')) });
  clock.advance(100);
  expect(gate.queued).toBe(1);
  clock.advance(100);
  expect(again[0]?.rejection?.reason).toBe('timeout');
  holder.permit?.release();
  expectQuiet(gate);
});

it('a waiter that declines to wait is rejected and holds nothing', () => {
  const { gate, ask } = gateWith();
  const holder = ask('a');
  const declining = ask('b', { joins: () => false });
  expect(declining.rejection).toMatchObject({ reason: 'full', limitName: 'app' });
  holder.permit?.release();
  expectQuiet(gate);
});

it('joins() is called once, at the first queue', () => {
  const { gate, ask } = gateWith();
  let asked = 0;
  const joins = () => ++asked > 0;
  const holders = [ask('b'), ask('a')];
  const waiting = ask('a', { joins });
  holders[0]?.permit?.release();
  holders[1]?.permit?.release();
  waiting.permit?.release();
  expect(asked).toBe(1);
  expectQuiet(gate);
});

it('a queued waiter cannot request again, even for a limit with capacity', () => {
  const { gate, ask } = gateWith({ limits: [limits[0] as (typeof limits)[0]] });
  const first = new Caller();
  const key = { key: 'a', weight: 1 };
  askGate(gate, new Caller(), [key]);
  askGate(gate, first, [key]);
  const twice = expect.objectContaining({ code: 'ERR_HEADGATE_WAITING' });
  expect(() => askGate(gate, first, [key])).toThrow(twice);
  expect(() => askGate(gate, first, [{ ...key, key: 'b' }])).toThrow(twice);
  expect([gate.queued, gate.inflight, first.answers]).toEqual([1, 1, 0]);
  expect(ask('c').permit?.key).toBe('c');
});

it('grants do not recurse, even through several limits', () => {
  const { gate, ask } = gateWith({ queueLimit: Number.POSITIVE_INFINITY });
  const holder = ask('a');
  let [depth, deepest, granted] = [0, 0, 0];
  const onGranted = (permit: { release(): void }) => {
    granted++;
    deepest = Math.max(deepest, ++depth);
    permit.release();
    depth--;
  };
  for (let index = 0; index < 20_000; index++) ask(index % 2 ? 'a' : `b ${index}`, { onGranted });
  holder.permit?.release();
  expect([granted, deepest]).toEqual([20_000, 1]);
  expectQuiet(gate);
});

it('an invalid demand on a later limit throws before the first limit is asked', () => {
  const { gate, ask } = gateWith();
  const holder = ask('a');
  const bad: [Amounts, object][] = [
    [[{ key: 'a', weight: 1 }, { weight: 2 }], { code: 'ERR_HEADGATE_WEIGHT' }],
    [[{ key: 'a', weight: 1 }, { weight: Number.NaN }], { code: 'ERR_HEADGATE_WEIGHT' }],
    [
      [
        { key: 'a', weight: 1 },
        { weight: 1, key: 'x' },
      ],
      { code: 'ERR_HEADGATE_KEY' },
    ],
    [
      [
        { key: 'a', weight: 1 },
        { weight: 1, limit: 3 },
      ],
      { code: 'ERR_HEADGATE_KEY' },
    ],
    [[{ key: 5 as never, weight: 1 }, { weight: 1 }], { code: 'ERR_HEADGATE_KEY' }],
    [[{ key: 'a', weight: 1, limit: 1.5 }, { weight: 1 }], { code: 'ERR_HEADGATE_OPTION' }],
  ];
  for (const [wrong, error] of bad) {
    const caller = new Caller();
    expect(() => askGate(gate, caller, wrong)).toThrow(expect.objectContaining(error));
  }
  expect([gate.queued, gate.inflight]).toEqual([0, 1]);
  holder.permit?.release();
  expectQuiet(gate);
});

it("a weight above what a key's own limit has become is granted alone", () => {
  const clock = new VirtualClock();
  const org = createLimiter({ limit: 3, name: 'org', perKey: true, queueLimit: 9, clock });
  const user = { name: 'user', limit: 1, perKey: true };
  const { gate } = gateWith({ limits: [user, { limiter: org }], clock });
  const [holder, waiting] = [new Caller(), new Caller()];
  askGate(gate, holder, [{ key: 'a', weight: 1 }, undefined]);
  askGate(gate, waiting, [
    { key: 'a', weight: 1 },
    { key: 'o', weight: 3 },
  ]);
  const held = org.tryAcquire({ key: 'o', limit: 2 });
  holder.permit?.release();
  expect(waiting.answers).toBe(0);
  held?.release();
  expect(org.usage('o')).toMatchObject({ inflight: 2 });
  waiting.permit?.release();
  expectQuiet(gate);
});

it('a gate does not withdraw a waiter of another gate', () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const [one, other] = [
    createGate({ limits: [{ limiter }] }),
    createGate({ limits: [{ limiter }] }),
  ];
  limiter.tryAcquire();
  const waiting = new Caller();
  askGate(one, waiting, [{ weight: 1 }]);
  other.withdraw(waiting);
  expect([one.queued, limiter.queued, other.stats().withdrawn]).toEqual([1, 1, 0]);
});

it('releases the permits of earlier limits when a later limit throws', () => {
  const first = createLimiter({ name: 'first', limit: 1 });
  const second = createLimiter({ name: 'second', limit: 1 });
  const gate = createGate({ limits: [{ limiter: first }, { limiter: second }] });
  const tryWithinLimit = () => {
    throw new Error('a bug');
  };
  Object.assign(second, { tryWithinLimit });
  expect(() => askGate(gate, new Caller(), [{ weight: 1 }, { weight: 1 }])).toThrow('a bug');
  expect([gate.inflight, first.inflight]).toEqual([0, 0]);
});
