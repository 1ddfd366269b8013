import { Caller } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { adaptive, createGate } from '../src/index.ts';
import { askGate } from './ask-gate.ts';
import { impatientScene, reason, scene, TOLERATED, times } from './impatient-scene.ts';
import { withLongQueue } from './long-queue.ts';

it('each key has its own learned timeout', () => {
  const { clock, ask, finish, old } = impatientScene({ perKey: true }, { key: 'a' });
  const [holder, first, second] = times(3, () => ask({ key: 'b' }));
  clock.advance(450);
  holder?.permit?.release();
  finish(true);
  expect([first, second, old].map((caller) => reason(caller as Caller))).toEqual([
    ...['granted', 'waits', 'timeout'],
  ]);
});

it('each limit of a gate has its own learned timeout', () => {
  const clock = new VirtualClock();
  const limits = [
    { name: 'narrow', limit: 1 },
    { name: 'app', limit: 1 },
  ];
  const gate = createGate({ limits, queueTimeout: 1000, clock });
  const gone = new Set<Caller>();
  const ask = (isNarrow: boolean) => {
    const caller: Caller = new Caller({ gone: () => gone.has(caller) });
    const one = { weight: 1 };
    askGate(gate, caller, (isNarrow ? [one, undefined] : [undefined, one]) as never);
    return caller;
  };
  // The limits of a gate have no maximum wait of their own, so their timeouts start at a minute.
  const both = [true, false].map((isNarrow) => times(21 + TOLERATED, () => ask(isNarrow)));
  clock.advance(400);
  const [narrow, app] = both.map((callers, index) => {
    for (const caller of callers.slice(0, 19 + TOLERATED)) {
      if (index === 0 && caller !== callers[0]) gone.add(caller);
      caller.permit?.release();
    }
    return callers.slice(-2).map(reason);
  });
  expect([narrow, app]).toEqual([
    ['timeout', 'granted'],
    ['granted', 'waits'],
  ]);
});

it.each([{ limit: adaptive({ min: 1, max: 1 }) }, { limit: 1 }])(
  'a limit learns how long clients wait: %o',
  (options) => {
    const { old, fresh, finish } = impatientScene(options);
    finish(true);
    expect([old, fresh].map(reason)).toEqual(['timeout', 'granted']);
  },
);

it('no timeout is learned if a controller bounds the wait, as that of the default limit does', () => {
  const { old, fresh, finish } = impatientScene({ limit: withLongQueue(1) });
  finish(true);
  expect([old, fresh].map(reason)).toEqual(['granted', 'waits']);
});

it('four late answers after a wait beyond the limit’s own queueTimeout rejects no other request that may wait as long', () => {
  const { clock, ask, finish } = scene({ queueTimeout: 2000 });
  const callers = times(TOLERATED + 3, () => ask({ queueTimeout: 8000 }));
  clock.advance(4000);
  finish(false);
  times(TOLERATED + 1, () => finish(true));
  expect(callers.map(reason)).toEqual([...Array(TOLERATED + 2).fill('granted'), 'waits']);
});

it('an answer in time after a short wait of its own does not reset what longer waits have taught', () => {
  const { clock, limiter, ask, finish } = scene({ queueTimeout: 1000 });
  const longer = times(TOLERATED + 3, () => ask({ queueTimeout: 8000 }));
  clock.advance(4000);
  times(5, () => ask());
  clock.advance(500);
  finish(false);
  times(TOLERATED + 1, () => finish(true));
  const { learnedTimeout = 0 } = limiter.stats();
  expect(learnedTimeout).toBeGreaterThan(4500);
  times(2, () => finish(false));
  expect(longer.map(reason)).toEqual(Array(TOLERATED + 3).fill('granted'));
  finish(false);
  expect(limiter.stats().learnedTimeout).toBeCloseTo(learnedTimeout, -1);
});

it('a request that leaves the queue of a later limit teaches the earlier one nothing', () => {
  const clock = new VirtualClock();
  const limits = ['first', 'second'].map((name) => ({ name, limit: 1 }));
  const gate = createGate({ limits, queueTimeout: 1000, clock });
  const one = { weight: 1 };
  let hasLeft = false;
  const leaving = new Caller({ gone: () => hasLeft });
  const [first, second, ...others] = times(4, () => new Caller()) as [Caller, Caller, ...Caller[]];
  askGate(gate, first, [one, undefined]);
  askGate(gate, second, [undefined, one]);
  for (const caller of [leaving, ...others]) askGate(gate, caller, [one, one]);
  clock.advance(300);
  first.permit?.release();
  clock.advance(100);
  hasLeft = true;
  gate.withdraw(leaving);
  const { learnedTimeout, inflight, queued } = gate.stats().limits[0] ?? {};
  expect({ learnedTimeout, inflight, queued }).toEqual({ inflight: 1, queued: 1 });
});

it('without a maximum wait, a timeout is learned from more answers', () => {
  const { clock, ask, finish } = scene({ queueTimeout: Infinity });
  const callers = times(30, () => ask());
  clock.advance(400);
  for (let count = 0; count <= 18 + TOLERATED; count++) finish(count > 0);
  const granted = Array(18 + TOLERATED).fill('granted');
  const answers = [...granted, ...Array(29 - granted.length).fill('timeout'), 'granted'];
  expect(callers.map(reason)).toEqual(answers);
});

it.each([1, 2])(
  'at a gate of %i limits, a learned timeout does not apply to calls that set their own queueTimeout',
  async (count) => {
    const clock = new VirtualClock();
    const limits = ['narrow', 'app'].slice(0, count).map((name) => ({ name, limit: 1 }));
    const gate = createGate({ limits, queueTimeout: 1000, clock });
    const gone = new Set<Caller>();
    const ask = () => {
      const caller: Caller = new Caller({ gone: () => gone.has(caller) });
      askGate(
        gate,
        caller,
        limits.map(() => ({ weight: 1 })),
      );
      return caller;
    };
    const [holder, ...late] = times(30, ask);
    const job = gate.acquire({ queueTimeout: Infinity });
    const old = ask();
    clock.advance(400);
    const fresh = ask();
    holder?.permit?.release();
    for (const caller of late) {
      gone.add(caller);
      caller.permit?.release();
    }
    expect(late.map(reason)).toContain('timeout');
    expect([old, fresh].map(reason)).toEqual(['timeout', 'waits']);
    (await job).release();
    expect(reason(fresh)).toBe('granted');
  },
);

it('a call with its own queueTimeout is not rejected on arrival because other clients leave', async () => {
  const { clock, limiter, ask, finish } = scene();
  for (let count = 0; count < 100; count++) {
    times(3, () => ask());
    clock.advance(100);
    finish(true);
  }
  while (reason(ask()) === 'waits');
  const controller = new AbortController();
  const job = limiter.acquire({ queueTimeout: Infinity, signal: controller.signal });
  controller.abort('left');
  // It was queued: otherwise, it would have been rejected.
  await expect(job).rejects.toBe('left');
  expect(limiter.stats().withdrawn).toBe(1);
});

it('a queueTimeout of 1 ms stays as it is', () => {
  const { clock, ask, finish } = scene({ queueTimeout: 1 });
  const callers = times(3, () => ask());
  finish(false);
  finish(true);
  expect(callers.map(reason)).toEqual(['granted', 'granted', 'waits']);
  clock.advance(1);
  expect(callers.map(reason)).toEqual(['granted', 'granted', 'timeout']);
});

it('with a queueTimeout of 0, no waiter is granted', () => {
  const { ask, finish } = scene({ queueTimeout: 0 });
  const callers = times(3, () => ask());
  finish(true);
  expect(callers.map(reason)).toEqual(['timeout', 'timeout', 'timeout']);
});
