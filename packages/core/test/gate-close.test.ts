import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type Gate, type Permit } from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';

const app: Amounts = [{ weight: 1 }];

function ask(gate: Pick<Gate, 'limiters' | 'request'>, demands = app): Caller {
  const caller = new Caller();
  askGate(gate, caller, demands);
  return caller;
}

const reasons = (callers: Caller[]) => callers.map(({ rejection }) => rejection?.reason);

it('close() rejects the waiters of every limit of the gate, and new requests', async () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 9, name: 'api' });
  const of = (key: string): Amounts => [{ key, weight: 1 }, { weight: 1 }];
  const holder = ask(gate, of('a'));
  const waiting = [ask(gate, of('a')), ask(gate, of('b')), ask(gate, of('b'))];
  const closed = gate.close();
  expect(reasons(waiting)).toEqual(['closed', 'closed', 'closed']);
  expect(ask(gate, of('c')).rejection).toMatchObject({
    reason: 'closed',
    limitName: 'api',
    waited: 0,
  });
  await expect(gate.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
  holder.permit?.release();
  expect(await closed).toBe(0);
  expect(gate.stats().limits).toMatchObject([{ inflight: 0, keys: 0 }, { inflight: 0 }]);
  expect(gate.stats()).toMatchObject({ admitted: 1, rejected: { closed: 5 } });
});

it('close() grants no waiter the capacity that rejected waiters free', () => {
  const gate = createGate({ limits: [{ name: 'app', limit: 2 }], queueLimit: 9 });
  ask(gate);
  const waiting = [ask(gate, [{ weight: 2 }]), ask(gate), ask(gate)];
  void gate.close();
  expect(reasons(waiting)).toEqual(['closed', 'closed', 'closed']);
  expect(gate.stats()).toMatchObject({ holders: 1, limits: [{ inflight: 1 }] });
});

it('close() grants no waiter the permits that rejected waiters release', () => {
  const limits = [
    { name: 'user', limit: 1, perKey: true },
    { name: 'app', limit: 5 },
  ];
  const gate = createGate({ limits, queueLimit: 9 });
  ask(gate, [undefined, { weight: 3 }]);
  const waiting = [
    ask(gate, [{ key: 'b', weight: 1 }, { weight: 5 }]),
    ask(gate, [{ key: 'b', weight: 1 }, { weight: 1 }]),
  ];
  void gate.close();
  expect(reasons(waiting)).toEqual(['closed', 'closed']);
  expect(gate.stats()).toMatchObject({ queued: 0, limits: [{ keys: 0 }, { inflight: 3 }] });
});

it('a waiter whose queued() closes the gate is rejected', () => {
  const limiter = createLimiter({ limit: 1, name: 'shared', queueLimit: 9 });
  const gate = createGate({ limits: [{ limiter }] });
  const holder = ask(gate);
  const caller = new Caller({ whenQueued: () => void gate.close() });
  askGate(gate, caller, app);
  expect(caller.rejection?.reason).toBe('closed');
  holder.permit?.release();
  expect([gate.queued, limiter.queued, limiter.inflight]).toEqual([0, 0, 0]);
});

it('close() closes only the limiters that the gate has made', async () => {
  const limiter = createLimiter({ limit: 3, name: 'shared', queueLimit: 9 });
  const gate = createGate({ limits: [{ name: 'own', limit: 3 }, { limiter }], queueLimit: 9 });
  const other = createGate({ limits: [{ limiter }] });
  const holder = ask(gate, [undefined, { weight: 3 }]);
  const waiting = [ask(gate, [{ weight: 1 }, { weight: 1 }]), ask(other)];
  expect(waiting.map(({ answers }) => answers)).toEqual([0, 0]);
  const closed = gate.close();
  expect(reasons(waiting)).toEqual(['closed', undefined]);
  holder.permit?.release();
  expect(await closed).toBe(0);
  expect(waiting[1]?.permit).toBeDefined();
  expect(limiter.tryAcquire()).toBeDefined();
  const own = Object.values(gate.limiters)[0];
  await expect(own?.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});

it('closing a reused limiter rejects the waiters of its gates', () => {
  const limiter = createLimiter({ limit: 1, name: 'shared', queueLimit: 9 });
  const gate = createGate({ limits: [{ limiter }] });
  ask(gate);
  const waiting = ask(gate);
  void limiter.close();
  expect(reasons([waiting, ask(gate)])).toEqual(['closed', 'closed']);
  expect(gate.stats()).toMatchObject({ queued: 0, rejected: { closed: 2 } });
});

it('close() with a timeout or signal resolves to the number of held permits and aborts their signals', async () => {
  const clock = new VirtualClock();
  const gate = createGate({ limits: [{ name: 'app', limit: 3 }], clock });
  const permits = [await gate.acquire(), await gate.acquire()] as [Permit, Permit];
  const { signal } = permits[0];
  const closed = gate.close({ timeout: 50 });
  clock.advance(50);
  expect(await closed).toBe(2);
  expect(signal.reason).toMatchObject({ code: 'ERR_HEADGATE_CLOSED' });
  expect(permits[1].signal.aborted).toBe(true);
  expect(await gate.close({ signal: AbortSignal.abort() })).toBe(2);
  const last = gate.close();
  for (const permit of permits) permit.release();
  expect(await last).toBe(0);
});

it.each([true, false])(
  'closing a reused limiter aborts the permit of its gate (signal read before: %s)',
  async (before) => {
    const clock = new VirtualClock();
    const limiter = createLimiter({ limit: 1, name: 'shared', clock });
    const gate = createGate({ limits: [{ limiter }], clock });
    const permit = await gate.acquire();
    if (before) expect(permit.signal.aborted).toBe(false);
    const closed = limiter.close({ timeout: 10 });
    clock.advance(10);
    expect(await closed).toBe(1);
    expect(permit.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_CLOSED' });
  },
);

it.each([true, false])(
  "the maxHold of a reused limiter releases its part of a gate's permit (signal read before: %s)",
  async (before) => {
    const clock = new VirtualClock();
    const observer = { leaked: () => {} };
    const limiter = createLimiter({ limit: 1, name: 'shared', clock, maxHold: 10 });
    limiter.observe(observer);
    const gate = createGate({ limits: [{ limiter }], clock });
    const permit = await gate.acquire();
    if (before) expect(permit.signal.aborted).toBe(false);
    clock.advance(10);
    expect(permit.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_MAX_HOLD' });
    expect([limiter.inflight, gate.holders]).toEqual([0, 1]);
    permit.release();
    expect([limiter.inflight, gate.holders]).toEqual([0, 0]);
  },
);

it('the maxHold of a gate releases all parts of a permit', async () => {
  const clock = new VirtualClock();
  const leaks: object[] = [];
  const observer = { leaked: (event: object) => void leaks.push(event) };
  const limits = [
    { name: 'a', limit: 3 },
    { name: 'b', limit: 3 },
  ];
  const gate = createGate({ limits, clock, maxHold: 10 });
  gate.observe(observer);
  const permit = await gate.acquire({ weights: { a: 3, b: 2 } });
  permit.waitUntil(new Promise(() => {}));
  clock.advance(10);
  expect(leaks).toEqual([{ name: 'a+b', weight: 3, held: 10 }]);
  expect(gate.stats()).toMatchObject({ holders: 0, leaked: 1, limits: [{ inflight: 0 }, {}] });
  expect(permit.signal.aborted).toBe(true);
});

it('close() does not abort the signal of a released permit', async () => {
  const gate = createGate({ limits: [{ name: 'app', limit: 2 }], name: 'api' });
  const [over, out] = [await gate.acquire(), await gate.acquire()];
  const signals = [over.signal, out.signal];
  over.release();
  expect(await gate.close({ timeout: 0 })).toBe(1);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});
