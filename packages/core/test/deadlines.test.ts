import { lcg } from '@headgate/test-kit/lcg';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter, type LimiterOptions } from '../src/index.ts';
import { Deadlines } from '../src/semaphore/deadlines.ts';
import { Caller, call } from './caller.ts';

function occupied(options: Partial<LimiterOptions> = {}) {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 9, queueTimeout: 100, clock, ...options });
  const held = limiter.tryAcquire({ weight: limiter.limit });
  return { clock, limiter, release: () => held?.release() };
}

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
  'a waiter past its deadline is rejected on a clock that starts at %s',
  (start) => {
    const clock = new VirtualClock(start);
    const { limiter, release } = occupied({ clock });
    const late = call(limiter);
    clock.busy(101);
    release();
    expect(late.rejection?.reason).toBe('timeout');
  },
);

it('a blocked event loop, which fires no timers, does not keep the queue full', () => {
  const { clock, limiter } = occupied({ queueLimit: 3 });
  const late = [call(limiter), call(limiter), call(limiter)];
  expect(call(limiter).rejection?.reason).toBe('full');
  clock.busy(100);
  const newcomer = call(limiter);
  expect(newcomer.answers).toBe(0);
  expect(late.map(({ rejection }) => rejection?.reason)).toEqual(Array(3).fill('timeout'));
  expect(limiter.queued).toBe(1);
});

it('a request for which late waiters are rejected stays ahead of the requests of their callbacks', () => {
  const { clock, limiter, release } = occupied({ queueLimit: 3 });
  const granted: string[] = [];
  const ask = (name: string) => ({ queueTimeout: Infinity, onGranted: () => granted.push(name) });
  call(limiter, { onRejected: () => call(limiter, ask('of a callback')) });
  call(limiter);
  clock.busy(100);
  // The request within `joins` fills the queue, so that room must be made for this one.
  const joins = () => call(limiter, ask('within joins')).answers === 0;
  const newcomer = call(limiter, { ...ask('newcomer'), joins });
  expect([newcomer.answers, limiter.queued]).toEqual([0, 3]);
  limiter.setLimit(4);
  release();
  expect(granted).toEqual(['within joins', 'newcomer', 'of a callback']);
});

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

it('a timer set for a withdrawn waiter is set to the next deadline', () => {
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
  const clock = new VirtualClock(1000.7);
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

it('a request made within a grant that another waiter’s timeout causes has a deadline', () => {
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

it('a waiter that cannot be expired yet does not delay late ones with other timeouts', () => {
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

it('a waiter that could not be expired delays no other with the same timeout once it has left', () => {
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
      if (random() < 0.3) clock.advance(Math.floor(random() * 20));
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
