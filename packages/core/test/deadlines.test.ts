import { type Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';
import { occupied } from './occupied-limiter.ts';

it('a waiter is rejected at its deadline, with the time it has waited', () => {
  const { clock, limiter } = occupied();
  const caller = call(limiter);
  clock.advance(99);
  expect(caller.answers).toBe(0);
  clock.advance(1);
  expect(caller.rejection).toMatchObject({ reason: 'timeout', waited: 100, queued: 0 });
  expect(limiter.stats()).toMatchObject({ queued: 0, inflight: 1, rejected: { timeout: 1 } });
});

it('the default queueTimeout is 2,000 ms', () => {
  const { clock, limiter } = occupied({ queueTimeout: undefined });
  const caller = call(limiter);
  clock.advance(1999);
  expect(caller.answers).toBe(0);
  clock.advance(1);
  expect(caller.rejection?.reason).toBe('timeout');
});

it('a caller may set its own queueTimeout, shorter or longer', () => {
  const { clock, limiter } = occupied();
  const short = call(limiter, { queueTimeout: 10 });
  const long = call(limiter, { queueTimeout: 1000 });
  const usual = call(limiter);
  clock.advance(10);
  expect([short, usual, long].map(({ answers }) => answers)).toEqual([1, 0, 0]);
  clock.advance(90);
  expect([short, usual, long].map(({ answers }) => answers)).toEqual([1, 1, 0]);
  clock.advance(900);
  expect(long.rejection?.waited).toBe(1000);
});

it('Infinity waits without a timeout and without a timer', () => {
  const { clock, limiter, release } = occupied({ queueTimeout: Number.POSITIVE_INFINITY });
  const caller = call(limiter);
  expect(clock.armed).toBe(0);
  clock.advance(1e12);
  expect(caller.answers).toBe(0);
  release();
  expect(caller.permit?.waited).toBe(1e12);
});

it('the queueTimeout of an earlier request has no effect', () => {
  const { clock, limiter, release } = occupied();
  const caller = call(limiter);
  clock.advance(100);
  caller.queueTimeout = Number.POSITIVE_INFINITY;
  limiter.request(caller);
  clock.advance(1000);
  release();
  expect(caller.permit?.waited).toBe(1000);
});

it('a queueTimeout longer than the maximum of a timer works', () => {
  const month = 31 * 24 * 60 * 60 * 1000;
  const { clock, limiter } = occupied({ queueTimeout: month });
  const caller = call(limiter);
  clock.advance(month - 1);
  expect(caller.answers).toBe(0);
  clock.advance(1);
  expect(caller.rejection?.reason).toBe('timeout');
});

it('a waiter with a queueTimeout of 0 is not granted later', () => {
  const { clock, limiter } = occupied({ queueTimeout: 0 });
  const caller = call(limiter);
  clock.advance(1);
  expect(caller.rejection?.reason).toBe('timeout');
});

it('fractions of a millisecond never shorten the timeout', () => {
  const clock = new VirtualClock({ start: 1000.7 });
  const { limiter } = occupied({ clock, queueTimeout: 10.5 });
  const caller = call(limiter);
  clock.advance(10.5);
  expect(caller.answers).toBe(0);
  clock.advance(1);
  expect(caller.rejection?.reason).toBe('timeout');
});

it('a request made within a rejection has a deadline', () => {
  const { clock, limiter } = occupied();
  let again: Caller | undefined;
  call(limiter, { onRejected: () => (again = call(limiter)) });
  clock.advance(100);
  expect([again?.answers, clock.armed]).toEqual([0, 1]);
  clock.advance(100);
  expect(again?.rejection?.reason).toBe('timeout');
  expect(clock.armed).toBe(0);
});

it("a request made within a grant has a deadline, even if another waiter's timeout caused the grant", () => {
  const { clock, limiter } = occupied({ limit: 2 });
  limiter.setLimit(3);
  call(limiter, { weight: 2 });
  let nested: Caller | undefined;
  call(limiter, { queueTimeout: 500, onGranted: () => (nested = call(limiter)) });
  clock.advance(100);
  expect(nested?.answers).toBe(0);
  clock.advance(100);
  expect(nested?.rejection?.reason).toBe('timeout');
});

it("a limiter times the requests of a gate by the gate's clock, even if it has its own", async () => {
  const [early, late] = [new VirtualClock(), new VirtualClock({ start: 1_000_000 })];
  const limiter = createLimiter({ limit: 1, queueLimit: 1, clock: late });
  const gate = createGate({ limits: [{ limiter }], queueTimeout: 100, clock: early });
  const held = limiter.tryAcquire();
  const waiting = gate.acquire();
  late.busy(50);
  early.advance(60);
  held?.release();
  expect(await waiting).toMatchObject({ waited: 60 });
  const again = gate.acquire();
  early.busy(100);
  // The queue is full, but its only waiter is past its deadline.
  const direct = limiter.acquire();
  await expect(again).rejects.toMatchObject({ rejection: { reason: 'timeout' } });
  expect(limiter.queued).toBe(1);
  void limiter.close();
  await expect(direct).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});
