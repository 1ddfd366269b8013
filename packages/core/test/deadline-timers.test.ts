import { type Caller, call } from '@headgate/test-kit/caller';
import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';
import { occupied } from './occupied-limiter.ts';

it('a queue uses one timer, and a request admitted at once uses none', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: Infinity, queueTimeout: 100, clock });
  const held = limiter.tryAcquire();
  expect(clock.armed).toBe(0);
  const callers: Caller[] = [];
  for (let index = 0; index < 1000; index++) {
    callers.push(call(limiter, { queueTimeout: 10 + (index % 7) }));
    expect(clock.armed).toBe(1);
  }
  for (const caller of callers.slice(1)) limiter.withdraw(caller);
  expect(clock.armed).toBe(1);
  held?.release();
  expect(clock.armed).toBe(0);
});

it('the timer is set to the next deadline, and cleared with the last waiter', () => {
  const { clock, limiter } = occupied();
  const first = call(limiter);
  clock.advance(30);
  const second = call(limiter);
  clock.advance(70);
  expect([first.answers, second.answers, clock.armed]).toEqual([1, 0, 1]);
  clock.advance(30);
  expect([second.answers, clock.armed]).toEqual([1, 0]);
});

it('when the timer of a withdrawn waiter fires, it is set to the next deadline', () => {
  const { clock, limiter } = occupied();
  const first = call(limiter);
  clock.advance(30);
  const second = call(limiter);
  limiter.withdraw(first);
  clock.advance(70);
  expect([second.answers, clock.armed]).toEqual([0, 1]);
  clock.advance(30);
  expect(second.rejection?.waited).toBe(100);
});

it('a timer is never set in the past', () => {
  const clock = new VirtualClock();
  const delays: number[] = [];
  const spy = {
    now: () => clock.now(),
    setTimeout: (callback: () => void, delay: number) => {
      delays.push(delay);
      return clock.setTimeout(callback, delay);
    },
    clearTimeout: (timer: unknown) => clock.clearTimeout(timer),
  };
  const limiter = createLimiter({ limit: 1, queueLimit: 9, queueTimeout: 10, clock: spy });
  limiter.tryAcquire();
  let again = 0;
  const onRejected = () => {
    clock.busy(30);
    if (again++ < 3) call(limiter, { onRejected, queueTimeout: 5 });
  };
  call(limiter, { onRejected });
  call(limiter, { queueTimeout: 12 });
  clock.advance(10);
  clock.advance(200);
  expect(delays.every((delay) => delay >= 0)).toBe(true);
  expect(limiter.queued).toBe(0);
});

it.each([1, 2, 3])(
  'waiters with many timeouts expire in the order of their deadlines (seed %i)',
  (seed) => {
    const random = lcg(seed);
    const { clock, limiter } = occupied({ queueLimit: Infinity });
    const expired: number[] = [];
    const wanted: number[] = [];
    for (let index = 0; index < 300; index++) {
      const queueTimeout = Math.floor(random() * 400);
      const at = clock.now() + queueTimeout;
      const caller = call(limiter, { queueTimeout, onRejected: () => expired.push(at) });
      if (random() < 0.4) limiter.withdraw(caller);
      else wanted.push(at);
      if (random() < 0.3) clock.advance(Math.floor(random() * 2));
    }
    while (clock.armed > 0) clock.advance(1);
    expect(expired).toEqual(wanted.sort((one, other) => one - other));
    expect(limiter.queued).toBe(0);
  },
);

it('a waiter reused without a deadline does not affect the deadlines of others', () => {
  const { clock, limiter } = occupied();
  const again = call(limiter, { queueTimeout: 50 });
  const other = call(limiter, { queueTimeout: 50 });
  limiter.withdraw(again);
  again.queueTimeout = Infinity;
  limiter.request(again);
  limiter.withdraw(again);
  clock.advance(50);
  expect(other.rejection?.reason).toBe('timeout');
  expect([limiter.queued, clock.armed]).toEqual([0, 0]);
});
