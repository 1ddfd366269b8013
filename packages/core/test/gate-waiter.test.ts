import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { askFor, expectQuiet, gateWith, limits } from './gate-waiter-scene.ts';

// What a waiter of a gate may do, and what happens to the permits that it already holds.

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

it('a waiter whose client has disconnected is skipped, and the next one is granted', () => {
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

it('a waiter that makes another request in rejected() has a deadline too', () => {
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
  const declining = ask('b', { mayJoin: () => false });
  expect(declining.rejection).toMatchObject({ reason: 'full', limitName: 'app' });
  holder.permit?.release();
  expectQuiet(gate);
});

it('queued() is called once, at the first queue', () => {
  const { gate, ask } = gateWith();
  const whenQueued = vi.fn();
  const holders = [ask('b'), ask('a')];
  const waiting = ask('a', { whenQueued });
  holders[0]?.permit?.release();
  holders[1]?.permit?.release();
  waiting.permit?.release();
  expect(whenQueued).toHaveBeenCalledTimes(1);
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
  expect([gate.queued, gate.holders, first.answers]).toEqual([1, 1, 0]);
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

it("a waiter heavier than its key's lowered limit is granted alone", () => {
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
