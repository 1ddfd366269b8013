import { Caller } from '@headgate/test-kit/caller';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { expect, it } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';
import { askFor, demands, expectQuiet, gateWith, limits } from './gate-waiter-scene.ts';

// Errors that the methods of a gate's waiter throw, or that its limits throw: the permits it already holds are released.

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
  expect([gate.queued, gate.holders]).toEqual([0, 1]);
  holder.permit?.release();
  expectQuiet(gate);
});

it('a gate releases the permits of earlier limits when a later limit throws', () => {
  const first = createLimiter({ name: 'first', limit: 1 });
  const second = createLimiter({ name: 'second', limit: 1 });
  const gate = createGate({ limits: [{ limiter: first }, { limiter: second }] });
  const tryWithinLimit = () => {
    throw new Error('a bug');
  };
  Object.assign(second, { tryWithinLimit });
  expect(() => askGate(gate, new Caller(), [{ weight: 1 }, { weight: 1 }])).toThrow('a bug');
  expect([gate.holders, first.inflight]).toEqual([0, 0]);
});

it.each([{ priority: 'urgent' }, { fairBy: 7 }, { queueTimeout: Number.NaN }])(
  'a request that must wait with an invalid option is an error, and its permits are released: %j',
  (option) => {
    const { gate, ask } = gateWith();
    const holder = ask('a');
    const caller = Object.assign(new Caller(), option);
    const error = { code: 'ERR_HEADGATE_OPTION' };
    expect(() => askGate(gate, caller, demands('b'))).toThrow(expect.objectContaining(error));
    holder.permit?.release();
    expectQuiet(gate);
  },
);
