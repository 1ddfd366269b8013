import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { createGate, createLimiter, defaultLimit, type LimiterOptions } from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { FakeLoop } from './pacing/fake-loop.ts';

function scene(options: Partial<LimiterOptions> = {}) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const limiter = createLimiter({
    ...{ name: 'reports', limit: 1, queueLimit: 2, queueTimeout: 100, clock },
    ...options,
  });
  limiter.observe({
    rejected: ({ rejection, shadow }) => void events.push(`${rejection.reason} ${shadow}`),
    operated: ({ operation, limit }) => void events.push(`${operation} ${limit}`),
  });
  return { clock, limiter, events };
}

describe('shadow()', () => {
  it('admits all waiters and all later requests, and simulates the later ones', () => {
    const { clock, limiter, events } = scene();
    const callers = [call(limiter), call(limiter), call(limiter)];
    expect([limiter.mode, limiter.stats().shadow]).toEqual(['enforce', undefined]);
    limiter.shadow();
    expect(limiter.mode).toBe('shadow');
    for (let count = 0; count < 4; count++) callers.push(call(limiter));
    expect(callers.every(({ permit }) => permit !== undefined)).toBe(true);
    expect([limiter.inflight, limiter.queued, clock.armed]).toEqual([7, 0, 0]);
    // One has the permit, and two are queued.
    expect(events).toEqual(['shadow 1', 'full true']);
    expect(limiter.stats()).toMatchObject({
      ...{ admitted: 7, rejected: { full: 0 }, wouldReject: { full: 1 } },
      shadow: { admitted: 1, queued: 2, rejected: { full: 1, timeout: 0 }, rejectedShare: 0.5 },
    });
  });

  it('admits waiters in order of arrival, over all keys', () => {
    const { limiter } = scene({ perKey: true });
    const order: string[] = [];
    for (const key of ['a', 'a', 'b', 'a', 'b']) {
      call(limiter, { key, onGranted: () => void order.push(`${key}${order.length}`) });
    }
    expect(order).toEqual(['a0', 'b1']);
    limiter.shadow();
    expect(order).toEqual(['a0', 'b1', 'a2', 'a3', 'b4']);
    expect(limiter.stats()).toMatchObject({ inflight: 5, queued: 0, keys: 2 });
  });

  it('admits waiters that the default limit holds back for the event loop', () => {
    const loop = new FakeLoop();
    const limit = defaultLimit({ initial: 1_000 }, loop);
    const { limiter } = scene({ limit, queueLimit: 1_000, clock: loop });
    loop.busy(10);
    const callers = Array.from({ length: 100 }, () => call(limiter));
    loop.busy(10);
    callers.push(...Array.from({ length: 100 }, () => call(limiter)));
    expect(limiter.queued).toBeGreaterThan(0);
    limiter.shadow();
    callers.push(call(limiter));
    expect(callers.every(({ permit }) => permit !== undefined)).toBe(true);
    expect(limiter.queued).toBe(0);
  });

  it('admits neither a waiter past its deadline nor a waiter whose client is gone', () => {
    const { clock, limiter } = scene();
    call(limiter);
    const late = call(limiter, { queueTimeout: 10 });
    const left = call(limiter, { gone: () => true });
    clock.busy(10);
    limiter.shadow();
    expect(late.rejection).toMatchObject({ reason: 'timeout' });
    expect([left.answers, limiter.stats().withdrawn, limiter.inflight]).toEqual([0, 1, 1]);
  });

  it('can be ended by a waiter that it admits', () => {
    const { limiter } = scene();
    call(limiter);
    const first = call(limiter, { onGranted: () => limiter.enforce() });
    const second = call(limiter);
    limiter.shadow();
    expect([first.answers, second.answers, limiter.mode]).toEqual([1, 0, 'enforce']);
  });

  it('admits run() and tryAcquire() beyond the limit, and reports only run()', async () => {
    const { limiter, events } = scene({ queueLimit: 0 });
    limiter.shadow();
    const permits = [limiter.tryAcquire(), limiter.tryAcquire({ weight: 1 })];
    expect(limiter.inflight).toBe(2);
    expect(await limiter.run(() => limiter.inflight)).toBe(3);
    for (const permit of permits) permit?.release();
    expect([limiter.inflight, events]).toEqual([0, ['shadow 1', 'full true']]);
  });

  it('reports no rejection for requests that would only be queued', () => {
    const { limiter, events } = scene({ limit: 4, queueLimit: 1, queueWeight: 6 });
    limiter.shadow();
    for (const weight of [4, 4]) call(limiter, { weight });
    expect(events).toEqual(['shadow 4']);
    call(limiter, { weight: 3 });
    expect(events).toEqual(['shadow 4', 'full true']);
  });

  it('keeps a paused limiter paused, and a rejecting limiter rejecting', () => {
    const { limiter } = scene();
    limiter.pause();
    limiter.shadow();
    const waiting = [call(limiter), call(limiter)];
    expect([limiter.queued, limiter.state, limiter.tryAcquire()]).toEqual([2, 'paused', undefined]);
    limiter.resume();
    expect([limiter.queued, limiter.inflight, limiter.mode]).toEqual([0, 2, 'shadow']);
    limiter.rejectAll();
    expect(call(limiter).rejection).toMatchObject({ reason: 'closed' });
    expect(limiter.tryAcquire()).toBeUndefined();
    limiter.resume();
    expect(call(limiter).permit).toBeDefined();
    for (const { permit } of waiting) permit?.release();
    expect(limiter.inflight).toBe(1);
  });

  it('rejects the waiters of a paused limiter that is closed', async () => {
    const { limiter } = scene();
    limiter.pause();
    limiter.shadow();
    const waiting = call(limiter);
    await limiter.close();
    expect(waiting.rejection).toMatchObject({ reason: 'closed' });
    expect(call(limiter).rejection).toMatchObject({ reason: 'closed' });
  });
});

describe('enforce()', () => {
  it('revokes no permit, and admits requests once enough permits are released', () => {
    const { limiter } = scene();
    limiter.shadow();
    const [first, second] = [call(limiter), call(limiter)];
    limiter.enforce();
    const third = call(limiter);
    first.permit?.release();
    expect([third.answers, limiter.inflight]).toEqual([0, 1]);
    second.permit?.release();
    expect(third.permit).toBeDefined();
  });

  it('ends the shadow mode that a gate was created with', () => {
    const limits = [{ name: 'app', limit: 1 }];
    const gate = createGate({ limits, mode: 'shadow', queueLimit: 0 });
    const limiter = Object.values(gate.limiters)[0];
    expect(limiter?.mode).toBe('shadow');
    const callers = [new Caller(), new Caller(), new Caller()];
    const [first, second, third] = callers as [Caller, Caller, Caller];
    for (const caller of [first, second]) askGate(gate, caller, [{ weight: 1 }]);
    limiter?.enforce();
    askGate(gate, third, [{ weight: 1 }]);
    expect([first, second, third].map(({ permit }) => permit !== undefined)).toEqual([
      ...[true, true, false],
    ]);
    expect(third.rejection).toMatchObject({ reason: 'full', limitName: 'app' });
  });
});

it('only operations that change the mode are reported', () => {
  const { limiter, events } = scene();
  for (const name of ['enforce', 'shadow', 'shadow', 'enforce'] as const) limiter[name]();
  expect(events).toEqual(['shadow 1', 'enforce 1']);
});

describe('one limit of a gate in shadow mode', () => {
  function gateScene() {
    const clock = new VirtualClock();
    const events: string[] = [];
    const gate = createGate({
      limits: [
        { name: 'user', limit: 1, perKey: true },
        { name: 'app', limit: 1 },
      ],
      ...{ queueLimit: 1, queueTimeout: 50, clock },
    });
    gate.observe({
      rejected: ({ rejection: { reason, limitName }, shadow }) =>
        void events.push(`${reason} ${limitName} ${shadow}`),
      admitted: () => void events.push('admitted'),
    });
    const ask = (key: string) => {
      const caller = new Caller();
      askGate(gate, caller, [{ key, weight: 1 }, { weight: 1 }]);
      return caller;
    };
    const [user, app] = Object.values(gate.limiters);
    return { clock, gate, user, app, ask, events };
  }

  it("admits the requests that the other limits admit, and reports each once, within the gate's queue limit", () => {
    const { gate, app, ask, events } = gateScene();
    app?.shadow();
    const callers = ['a', 'b', 'c'].map(ask);
    expect(callers.every(({ permit }) => permit !== undefined)).toBe(true);
    expect(events).toEqual(['admitted', 'admitted', 'admitted', 'full app true']);
    const waiting = ask('a');
    expect([waiting.answers, gate.queued]).toEqual([0, 1]);
    expect(ask('a').rejection).toMatchObject({ reason: 'full', limitName: 'user' });
    for (const { permit } of callers.reverse()) permit?.release();
    expect(waiting.permit).toBeDefined();
    waiting.permit?.release();
    expect(gate.stats()).toMatchObject({
      ...{ holders: 0, queued: 0, rejected: { full: 1 }, wouldReject: { full: 1 } },
      limits: [{ rejected: { full: 1 } }, { wouldReject: { full: 1 } }],
    });
  });

  it('reports no request that a later limit rejects', () => {
    const { user, ask, events } = gateScene();
    user?.shadow();
    ask('a');
    ask('b');
    expect(ask('a').rejection).toMatchObject({ reason: 'full', limitName: 'app' });
    expect(events).toEqual(['admitted', 'full app false']);
  });

  it('rejects requests once the gate is closed', async () => {
    const { gate, user, ask } = gateScene();
    user?.shadow();
    await gate.close();
    expect(ask('a').rejection).toMatchObject({ reason: 'closed' });
  });
});

it('a reused limiter in shadow mode admits the requests of all its gates, and reports to its observer', () => {
  const { limiter, events } = scene({ queueLimit: 0 });
  const gates = [
    createGate({ limits: [{ limiter }] }),
    createGate({ limits: [{ name: 'other', limit: 9, perKey: true }, { limiter }] }),
  ];
  limiter.shadow();
  for (const gate of gates) {
    const caller = new Caller();
    askGate(
      gate,
      caller,
      Object.keys(gate.limiters).length === 1 ? [{ weight: 1 }] : [undefined, { weight: 1 }],
    );
    expect(caller.permit).toBeDefined();
  }
  expect(events).toEqual(['shadow 1', 'full true']);
});

it('a closed gate without limits rejects requests, unless it was created in shadow mode', async () => {
  const guard = { name: 'sentry', admits: () => true };
  const gate = createGate({ limits: [], guard });
  await gate.close();
  await expect(gate.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});

it('a guard keeps its mode when the limits change theirs', () => {
  const guard = { name: 'sentry', admits: () => false };
  const gate = createGate({ limits: [{ name: 'app', limit: 1 }], guard });
  Object.values(gate.limiters)[0]?.shadow();
  const caller = new Caller();
  askGate(gate, caller, [{ weight: 1 }]);
  expect(caller.rejection).toMatchObject({ reason: 'overloaded', limitName: 'sentry' });
});
