import { Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { Deadlines } from '../src/semaphore/deadlines.ts';
import { occupied } from './occupied-limiter.ts';

it('a waiter past its deadline is rejected even if its timer fires late', () => {
  const { clock, limiter, release } = occupied();
  const late = call(limiter);
  clock.busy(50);
  const inTime = call(limiter);
  clock.busy(50);
  release();
  expect(late.rejection?.reason).toBe('timeout');
  expect(inTime.permit?.waited).toBe(50);
});

it('a waiter whose deadline passes during another grant is rejected', () => {
  const { clock, limiter, release } = occupied();
  const slow = call(limiter, {
    onGranted: (permit) => {
      clock.busy(100);
      permit.release();
    },
  });
  const late = call(limiter);
  release();
  expect(slow.permit?.waited).toBe(0);
  expect(late.rejection?.reason).toBe('timeout');
});

it.each([-100, -50, 0])(
  'a waiter past its deadline is rejected even if the clock starts at %s',
  (start) => {
    const clock = new VirtualClock({ start });
    const { limiter, release } = occupied({ clock });
    const late = call(limiter);
    clock.busy(101);
    release();
    expect(late.rejection?.reason).toBe('timeout');
  },
);

it('expired waiters do not keep the queue full while a busy event loop fires no timers', () => {
  const { clock, limiter } = occupied({ queueLimit: 3 });
  const late = [call(limiter), call(limiter), call(limiter)];
  expect(call(limiter).rejection?.reason).toBe('full');
  clock.busy(100);
  const newcomer = call(limiter);
  expect(newcomer.answers).toBe(0);
  expect(late.map(({ rejection }) => rejection?.reason)).toEqual(Array(3).fill('timeout'));
  expect(limiter.queued).toBe(1);
});

it('a waiter that cannot be expired yet does not delay late waiters with other timeouts', () => {
  const clock = new VirtualClock();
  const expired: number[] = [];
  const deadlines = new Deadlines(clock, (late) => {
    if (late.weight === 1) return;
    expired.push(late.weight);
    deadlines.remove(late);
  });
  const timed = (weight: number, timeout: number) => {
    const caller = new Caller({ weight });
    deadlines.start(caller, timeout);
  };
  timed(1, 10);
  timed(2, 20);
  clock.busy(30);
  deadlines.sweep();
  expect(expired).toEqual([2]);
});

it('after a waiter that could not be expired has left, others with the same timeout expire', () => {
  const clock = new VirtualClock();
  const expired: number[] = [];
  const deadlines = new Deadlines(clock, (late) => {
    if (late.weight === 1) return;
    expired.push(late.weight);
    deadlines.remove(late);
  });
  const [stuck, other] = [1, 2].map((weight) => {
    const caller = new Caller({ weight });
    deadlines.start(caller, 10);
    clock.busy(5);
    return caller;
  }) as [Caller, Caller];
  deadlines.sweep();
  deadlines.remove(stuck);
  clock.busy(10);
  deadlines.sweep();
  expect([expired, deadlines.size]).toEqual([[other.weight], 0]);
});
