import { call } from '@headgate/test-kit/caller';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createGate, createLimiter } from '../src/index.ts';

// vitest 2, node:test and Jest's legacy timers replace `setTimeout` but not `performance.now`.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const reason = ({ rejection }: ReturnType<typeof call>) => rejection?.reason;

it('with fake timers, queueTimeout rejects a waiter', () => {
  // Files of the same process may have left timers.
  const left = vi.getTimerCount();
  const limiter = createLimiter({ limit: 1, queueLimit: 9, queueTimeout: 2000 });
  limiter.tryAcquire();
  const waiting = [call(limiter), call(limiter, { queueTimeout: 500 }), call(limiter)];
  vi.advanceTimersByTime(501);
  expect(waiting.map(reason)).toEqual([undefined, 'timeout', undefined]);
  // The callers may have arrived some milliseconds apart, as that clock is real.
  vi.advanceTimersByTime(1600);
  expect(waiting.map(reason)).toEqual(['timeout', 'timeout', 'timeout']);
  expect(vi.getTimerCount()).toBe(left);
});

it('with fake timers, the queueTimeout of a gate rejects a waiter', async () => {
  const limits = [
    { name: 'a', limit: 1, perKey: true },
    { name: 'b', limit: 1 },
  ];
  const gate = createGate({ limits, queueLimit: 9, queueTimeout: 100 });
  await gate.acquire();
  const waiting = expect(gate.acquire()).rejects.toMatchObject({
    rejection: { reason: 'timeout' },
  });
  await vi.advanceTimersByTimeAsync(200);
  await waiting;
});

it('with fake timers, maxHold releases a permit', () => {
  const leaked = vi.fn();
  const limiter = createLimiter({ limit: 3, maxHold: 1000 });
  limiter.observe({ leaked });
  limiter.tryAcquire();
  limiter.tryAcquire();
  vi.advanceTimersByTime(1100);
  expect([limiter.inflight, leaked.mock.calls.length]).toEqual([0, 2]);
});

it('the timers of waiters keep a process alive; the timers of permits do not', () => {
  const unref = vi.fn();
  const clock = {
    now: () => 0,
    setTimeout: () => ({ unref }),
    clearTimeout: () => {},
  };
  const limiter = createLimiter({ limit: 1, queueLimit: 9, maxHold: 1000, clock });
  limiter.tryAcquire();
  expect(unref).toHaveBeenCalledTimes(1);
  call(limiter);
  expect(unref).toHaveBeenCalledTimes(1);
});

it('a wait is measured by the clock that a test has replaced together with the timers', async () => {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const limiter = createLimiter({ limit: 1, queueLimit: 1 });
  const held = limiter.tryAcquire();
  const queued = limiter.acquire();
  vi.advanceTimersByTime(300);
  held?.release();
  expect((await queued).waited).toBe(300);
});

it('timers fire again after a test has ended its fake timers with a waiter still queued', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9, queueTimeout: 20 });
  limiter.tryAcquire();
  const left = call(limiter);
  vi.useRealTimers();
  await expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'timeout' } });
  expect(reason(left)).toBe('timeout');
});
