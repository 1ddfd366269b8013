import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import type { Demands } from '../src/gate/demands.ts';
import { createGate, createLimiter, type Gate, type Limiter } from '../src/index.ts';
import { askGate } from './ask-gate.ts';

const limits = [{ name: 'app', limit: 4 }];

it('a queued waiter cannot be requested again, here or elsewhere, and stays unchanged', () => {
  const app = createGate({ limits, queueLimit: 9 });
  const two = [{ name: 'own', limit: 1, optional: true }, ...limits];
  const gates = [app, createGate({ limits: two, queueLimit: 9 })] as const;
  const wait = (gate: Gate, waiter: Caller, weight: number) =>
    askGate(gate, waiter, [...Array(Object.keys(gate.limiters).length - 1), { weight }]);
  for (const gate of gates) {
    const [holder, waiting] = [new Caller(), new Caller()];
    wait(gate, holder, 4);
    wait(gate, waiting, 1);
    for (const other of gates) {
      const code = 'ERR_HEADGATE_WAITING';
      expect(() => wait(other, waiting, 3)).toThrow(expect.objectContaining({ code }));
    }
    expect(gates.map(({ queued }) => queued)).toEqual(gates.map((one) => (one === gate ? 1 : 0)));
    holder.permit?.release();
    expect(waiting.permit?.weight).toBe(1);
    waiting.permit?.release();
  }
});

it('a gate of one limit counts requests, while its limit counts weight', () => {
  const gate = createGate({ limits, queueLimit: 1 });
  const [holder, waiting] = [new Caller(), new Caller()];
  askGate(gate, holder, [{ weight: 3 }]);
  askGate(gate, waiting, [{ weight: 2 }]);
  expect([gate.holders, gate.queued]).toEqual([1, 1]);
  const counts = { admitted: 1, queued: 1, leaked: 0 };
  expect(gate.stats()).toMatchObject({ name: 'app', ...counts, holders: 1 });
  expect(gate.stats()).not.toHaveProperty('limit');
  expect(gate.stats().limits).toMatchObject([{ ...counts, inflight: 3, limit: 4, keys: 0 }]);
});

it.each([
  [{ queueLimit: 1 }, 2],
  [{ queueLimit: 2 }, 1],
])('the lower queueLimit of gate and limit applies: %j and %i', ({ queueLimit }, own) => {
  const gate = createGate({ limits: [{ name: 'app', limit: 1, queueLimit: own }], queueLimit });
  const callers = [new Caller(), new Caller(), new Caller()];
  for (const caller of callers) askGate(gate, caller, [{ weight: 1 }]);
  expect(callers.map(({ rejection }) => rejection?.reason)).toEqual([undefined, undefined, 'full']);
});

it("a gate of one limit ignores the waiter's own fields except queueTimeout", () => {
  const clock = new VirtualClock();
  const gate = createGate({ limits, queueLimit: 1, clock });
  const wishes = { key: 'a', limit: 9, weight: 7, queueTimeout: 5 };
  const [holder, waiting] = [new Caller(wishes), new Caller(wishes)];
  askGate(gate, holder, [{ weight: 4 }]);
  askGate(gate, waiting, [{ weight: 1 }]);
  expect(holder.permit).toMatchObject({ weight: 4, key: undefined });
  clock.advance(5);
  expect(waiting.rejection?.reason).toBe('timeout');
});

it.each([
  [{ weights: { other: 1 } }, 'ERR_HEADGATE_KEY'],
  [{ keys: { app: 'a' } }, 'ERR_HEADGATE_KEY'],
  [{ weights: { app: 5 } }, 'ERR_HEADGATE_WEIGHT'],
  [{ queueTimeout: Number.NaN }, 'ERR_HEADGATE_OPTION'],
])('acquire and run reject invalid options: %j', async (options, code) => {
  const gate = createGate({ limits, queueLimit: 1 });
  const held = await gate.acquire({ weights: { app: 4 } });
  await expect(gate.acquire(options)).rejects.toMatchObject({ code });
  await expect(gate.run(() => 1, options)).rejects.toMatchObject({ code });
  held.release();
  expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, limits: [{ inflight: 0 }] });
});

it('a gate of one limit releases a permit after maxHold, once', async () => {
  const clock = new VirtualClock();
  const leaked: object[] = [];
  const observer = { leaked: (event: object) => leaked.push(event) };
  const gate = createGate({ limits, maxHold: 50, clock });
  gate.observe(observer);
  const { signal } = await gate.acquire();
  clock.advance(50);
  expect(signal.aborted).toBe(true);
  expect(leaked).toEqual([{ name: 'app', weight: 1, held: 50 }]);
  expect(gate.stats()).toMatchObject({ holders: 0, leaked: 1 });
});

it('a gate of one limit throws for demands of another limiter, a second demand, and invalid demands', () => {
  const gate = createGate({ limits });
  const limiter = Object.values(gate.limiters)[0] as Limiter;
  const foreign = createLimiter({ limit: 4 });
  const own = { limiter, weight: 1 };
  const cases: [Demands, string][] = [
    [[{ limiter: foreign, weight: 1 }], 'ERR_HEADGATE_GATE_ORDER'],
    [[own, own], 'ERR_HEADGATE_GATE_ORDER'],
    [[{ ...own, key: 'a' }], 'ERR_HEADGATE_KEY'],
    [[{ ...own, limit: 2 }], 'ERR_HEADGATE_KEY'],
    [[{ ...own, weight: 5 }], 'ERR_HEADGATE_WEIGHT'],
    [[{ ...own, share: 'gold' }], 'ERR_HEADGATE_OPTION'],
  ];
  for (const [demands, code] of cases)
    expect(() => gate.request(new Caller(), demands)).toThrow(expect.objectContaining({ code }));
  expect([gate.holders, foreign.inflight]).toEqual([0, 0]);
});

it.each([1, 2])(
  'an aborted signal comes before an invalid weight at a gate of %i limits',
  async (count) => {
    const two = [{ name: 'own', limit: 1, optional: true }, ...limits];
    const gate = createGate({ limits: count === 1 ? limits : two });
    const options = { signal: AbortSignal.abort('left'), weights: { app: 9 } };
    await expect(gate.acquire(options)).rejects.toBe('left');
    await expect(gate.run(() => 1, options)).rejects.toBe('left');
  },
);
