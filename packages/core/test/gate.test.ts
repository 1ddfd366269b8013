import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type Gate, type GateOptions } from '../src/index.ts';
import { type Amounts, askGate } from './ask-gate.ts';

function usersAndApp(options: Partial<GateOptions> = {}) {
  const clock = new VirtualClock();
  const limits = [
    { name: 'user', limit: 2, perKey: true },
    { name: 'app', limit: 3 },
  ];
  return { clock, gate: createGate({ limits, queueLimit: 9, clock, ...options }) };
}

/** Requests a permit of a user, with a weight for the app, for a new caller. */
function enter(
  gate: Gate,
  key: string,
  weight = 1,
  wishes?: ConstructorParameters<typeof Caller>[0],
) {
  const caller = new Caller(wishes);
  askGate(gate, caller, [{ key, weight: 1 }, { weight }]);
  return caller;
}

function inflight(gate: Gate): number[] {
  return gate.stats().limits.map((limit) => limit.inflight);
}

it('an admission acquires every limit, and one release releases all of them', () => {
  const { gate } = usersAndApp();
  const caller = enter(gate, 'a', 2);
  expect(caller.permit).toMatchObject({ key: 'a', weight: 2, waited: 0 });
  expect([gate.holders, ...inflight(gate)]).toEqual([1, 1, 2]);
  caller.permit?.release();
  caller.permit?.release();
  expect([gate.holders, ...inflight(gate)]).toEqual([0, 0, 0]);
  expect(gate.stats().limits[0]?.keys).toBe(0);
});

it('a request waits at the first limit without capacity, and continues from there', () => {
  const { gate, clock } = usersAndApp();
  const [one, two, other] = [enter(gate, 'a'), enter(gate, 'a'), enter(gate, 'b')];
  const waiting = enter(gate, 'a');
  expect([gate.queued, ...inflight(gate)]).toEqual([1, 2, 3].map((n, i) => [1, 3, 3][i] ?? n));
  clock.advance(10);
  one?.permit?.release();
  expect(waiting.permit?.waited).toBe(10);
  for (const caller of [two, other, waiting]) caller?.permit?.release();
  expect([gate.queued, gate.holders, ...inflight(gate)]).toEqual([0, 0, 0, 0]);
});

it("a waiter for a busy key holds no permit of the app's limit, so it delays no other key", () => {
  const { gate } = usersAndApp();
  enter(gate, 'a');
  enter(gate, 'a');
  const waiting = [enter(gate, 'a'), enter(gate, 'a')];
  const other = enter(gate, 'b');
  expect(other.permit).toBeDefined();
  expect(waiting.map(({ answers }) => answers)).toEqual([0, 0]);
  expect(inflight(gate)).toEqual([3, 3]);
});

it('a queued request holds only permits of the limits before the one it waits for', () => {
  const { gate } = usersAndApp();
  enter(gate, 'a', 3);
  enter(gate, 'b');
  expect(inflight(gate)).toEqual([2, 3]);
});

it('42 and "42" are the same key of a gate', async () => {
  const { gate } = usersAndApp();
  const permits = [
    await gate.acquire({ keys: { user: 42 } }),
    await gate.acquire({ keys: { user: '42' } }),
  ];
  expect(permits.map(({ key }) => key)).toEqual(['42', '42']);
  expect(gate.stats().limits[0]).toMatchObject({ keys: 1, inflight: 2 });
});

it('a gate releases the permits of earlier limits when a later limit rejects', () => {
  const limits = [
    { name: 'user', limit: 2, perKey: true },
    { name: 'app', limit: 1, queueLimit: 0 },
  ];
  const { gate } = usersAndApp({ limits });
  enter(gate, 'a');
  const rejected = enter(gate, 'b');
  expect(rejected.rejection).toMatchObject({ reason: 'full', limitName: 'app', waited: 0 });
  expect(gate.stats()).toMatchObject({ queued: 0, holders: 1, limits: [{ keys: 1 }, {}] });
});

it('one deadline covers all limits of a gate', () => {
  const { gate, clock } = usersAndApp({ queueTimeout: 100 });
  const one = enter(gate, 'a');
  enter(gate, 'a', 2);
  const waiting = enter(gate, 'a', 2);
  clock.advance(60);
  one.permit?.release();
  expect(inflight(gate)).toEqual([2, 2]);
  clock.advance(39);
  expect(waiting.answers).toBe(0);
  clock.advance(1);
  expect(waiting.rejection).toMatchObject({ reason: 'timeout', limitName: 'app', waited: 100 });
  expect(inflight(gate)).toEqual([1, 2]);
  expect(clock.armed).toBe(0);
});

it('a request may set its own queueTimeout; Infinity sets no timer', async () => {
  const { gate, clock } = usersAndApp();
  enter(gate, 'a', 3);
  const short = enter(gate, 'b', 1, { queueTimeout: 10 });
  const waiting = gate.acquire({ keys: { user: 'b' }, queueTimeout: Number.POSITIVE_INFINITY });
  expect(clock.armed).toBe(1);
  clock.advance(10);
  expect([short.rejection?.reason, gate.queued, clock.armed]).toEqual(['timeout', 1, 0]);
  void gate.close();
  await expect(waiting).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});

it('a waiter past its deadline is never granted at any limit, even if the timer fires late', () => {
  const { gate, clock } = usersAndApp({ queueTimeout: 100 });
  const one = enter(gate, 'a');
  enter(gate, 'a', 2);
  const [forUser, forApp] = [enter(gate, 'a'), enter(gate, 'b')];
  clock.busy(100);
  one.permit?.release();
  expect([forUser, forApp].map(({ rejection }) => rejection?.reason)).toEqual([
    'timeout',
    'timeout',
  ]);
  expect(gate.queued).toBe(0);
});

it('a gate uses one timer, regardless of how many requests wait at which limits', () => {
  const { gate, clock } = usersAndApp({ queueLimit: 100, queueTimeout: 100 });
  enter(gate, 'a', 3);
  enter(gate, 'a', 3);
  for (let index = 0; index < 50; index++) enter(gate, index % 2 ? 'a' : 'b');
  expect([gate.queued, clock.armed]).toEqual([51, 1]);
  clock.advance(100);
  expect([gate.queued, clock.armed]).toEqual([0, 0]);
});

it('queueLimit counts the waiters of all limits and keys together', () => {
  const { gate } = usersAndApp({ queueLimit: 3 });
  enter(gate, 'holder', 3);
  const callers = Array.from({ length: 1000 }, (_, index) => enter(gate, `invented ${index}`));
  expect(gate.stats()).toMatchObject({ queued: 3, rejected: { full: 997 } });
  expect(gate.stats().limits[0]?.keys).toBe(4);
  expect(callers[3]?.rejection).toMatchObject({ reason: 'full', limitName: 'app' });
});

it('a waiter that moves to the next limit is not checked against queueLimit again', () => {
  const { gate } = usersAndApp({ queueLimit: 1 });
  const one = enter(gate, 'a', 3);
  const two = enter(gate, 'a', 1);
  expect(two.answers).toBe(0);
  expect(enter(gate, 'a').rejection?.reason).toBe('full');
  one.permit?.release();
  expect(two.permit).toBeDefined();
});

it("a limit's own queueLimit applies in addition to the gate's, per key if keyed", () => {
  const limits = [{ name: 'user', limit: 1, perKey: true, queueLimit: 1 }];
  const { gate } = usersAndApp({ limits });
  const ask = (key: string) => {
    const caller = new Caller();
    askGate(gate, caller, [{ key, weight: 1 }]);
    return caller.rejection?.reason ?? (caller.permit ? 'granted' : 'waits');
  };
  expect(['a', 'a', 'a', 'b', 'b', 'b'].map(ask)).toEqual([
    'granted',
    'waits',
    'full',
    'granted',
    'waits',
    'full',
  ]);
});

it('expired waiters with a late timer do not count against the queueLimit of the gate or of a limit', () => {
  for (const options of [
    { queueLimit: 1 },
    { limits: [{ name: 'app', limit: 1, queueLimit: 1 }] },
  ]) {
    const clock = new VirtualClock();
    const limits = [{ name: 'app', limit: 1 }];
    const gate = createGate({ limits, queueLimit: 9, queueTimeout: 100, clock, ...options });
    const callers = [new Caller(), new Caller(), new Caller()];
    const [holder, late, newcomer] = callers as [Caller, Caller, Caller];
    askGate(gate, holder, [{ weight: 1 }]);
    askGate(gate, late, [{ weight: 1 }]);
    clock.busy(100);
    askGate(gate, newcomer, [{ weight: 1 }]);
    expect([late.rejection?.reason, newcomer.answers, gate.queued]).toEqual(['timeout', 0, 1]);
  }
});

it('waiters are granted in order of arrival at the gate, not at each limit', () => {
  const { gate } = usersAndApp();
  const holders = [enter(gate, 'a'), enter(gate, 'a', 2)];
  const early = enter(gate, 'a');
  const late = enter(gate, 'b');
  expect([early.answers, late.answers]).toEqual([0, 0]);
  // The first enters the app's queue ahead of the second, which has been in that queue for longer.
  holders[0]?.permit?.release();
  expect([early.answers, late.answers]).toEqual([1, 0]);
});

it('a release frees all limits before any waiter is granted', () => {
  const { gate } = usersAndApp({
    limits: [
      { name: 'user', limit: 1, perKey: true },
      { name: 'app', limit: 1, queueLimit: 0 },
    ],
  });
  const holder = enter(gate, 'a');
  const waiting = [enter(gate, 'a'), enter(gate, 'a')];
  holder.permit?.release();
  expect(waiting.map(({ permit, rejection }) => [permit?.key, rejection?.reason])).toEqual([
    ['a', undefined],
    [undefined, undefined],
  ]);
});

it('a waiter inserted at the head of a queue is granted if it fits, even if the next one does not', () => {
  const { gate } = usersAndApp();
  const holder = enter(gate, 'a');
  enter(gate, 'a');
  const light = enter(gate, 'a');
  const heavy = enter(gate, 'b', 3);
  holder.permit?.release();
  expect([light.answers, heavy.answers]).toEqual([1, 0]);
});

it('a limiter that several gates reuse counts the requests of all gates', async () => {
  const app = createLimiter({ limit: 2, name: 'app', queueLimit: 0 });
  const gates = ['x', 'y'].map((name) =>
    createGate({ limits: [{ name, limit: 9 }, { limiter: app }], queueLimit: 9 }),
  ) as [Gate, Gate];
  const permits = [await gates[0].acquire(), await gates[1].acquire()];
  expect(app.inflight).toBe(2);
  expect(app.tryAcquire()).toBeUndefined();
  const waiting = gates[0].acquire();
  expect(app.queued).toBe(0);
  await expect(waiting).rejects.toMatchObject({ rejection: { reason: 'full', limitName: 'app' } });
  for (const permit of permits) permit.release();
  expect(app.inflight).toBe(0);
});

it('a gate of one reused limiter adopts its queueLimit and queueTimeout', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: 50, clock });
  const gate = createGate({ limits: [{ limiter }], clock });
  const callers = [new Caller(), new Caller(), new Caller()];
  const demands: Amounts = [{ weight: 1 }];
  for (const caller of callers) askGate(gate, caller, demands);
  expect(callers.map(({ rejection }) => rejection?.reason)).toEqual([undefined, undefined, 'full']);
  clock.advance(50);
  expect(callers[1]?.rejection).toMatchObject({ reason: 'timeout', waited: 50 });
});

it('a limit may be named like a property of every object, such as constructor', async () => {
  for (const name of ['constructor', 'toString', '__proto__']) {
    const gate = createGate({ limits: [{ name, limit: 1 }] });
    const permit = await gate.acquire();
    expect(gate.holders).toBe(1);
    permit.release();
  }
});
