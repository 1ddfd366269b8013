import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import {
  byPriority,
  byShare,
  createLimiter,
  fair,
  type Observer,
  systemClock,
} from '../src/index.ts';

it('all counts of a new limiter are 0', () => {
  expect(createLimiter({ limit: 3, name: 'app' }).stats()).toEqual({
    ...{ name: 'app', limit: 3, holders: 0, inflight: 0, queued: 0, longestWait: 0, keys: 0 },
    ...{ abandoned: 0, admitted: 0, withdrawn: 0, leaked: 0 },
    ...{ inflightPeak: 0, inflightHistogram: [] },
    rejected: { full: 0, timeout: 0, closed: 0, overloaded: 0, paused: 0, store: 0 },
    wouldReject: { full: 0, timeout: 0, closed: 0, overloaded: 0, paused: 0, store: 0 },
  });
});

it('stats() counts admissions, rejections, withdrawals and leaks', () => {
  const clock = new VirtualClock();
  const settings = { limit: 4, queueLimit: 1, queueTimeout: 100, maxHold: 200, clock };
  const limiter = createLimiter({ ...settings });
  limiter.observe({ leaked: () => {} });
  limiter.tryAcquire({ weight: 3 });
  limiter.withdraw(call(limiter, { weight: 2 }));
  call(limiter, { weight: 2 });
  call(limiter);
  clock.advance(40);
  expect(limiter.stats()).toMatchObject({ inflight: 3, queued: 1, longestWait: 40, admitted: 1 });
  clock.advance(60);
  limiter.reject(call(limiter, { weight: 4 }), 'overloaded');
  clock.advance(100);
  void limiter.close();
  call(limiter);
  expect(limiter.stats()).toMatchObject({
    ...{ inflight: 0, queued: 0, longestWait: 0, admitted: 1, withdrawn: 1, leaked: 1 },
    rejected: { full: 1, timeout: 1, closed: 1, overloaded: 1, store: 0 },
  });
});

it('stats() counts waiters by priority and by share, over all keys', () => {
  const shares = { gold: 0.5, free: 0.25 };
  const options = { limit: 4, perKey: true, queueLimit: 9 };
  const limiter = createLimiter({ ...options, order: byShare(shares, byPriority()) });
  for (const key of ['a', 'b']) {
    limiter.tryAcquire({ key, weight: 3, share: 'gold' });
    limiter.tryAcquire({ key });
    for (const priority of ['high', 'low', 'low'] as const) call(limiter, { key, priority });
  }
  expect(limiter.stats()).toMatchObject({
    priorities: { critical: 0, high: 2, normal: 0, low: 4, sheddable: 0 },
    shares: {
      gold: { part: 0.5, inflight: 6, queued: 0 },
      free: { part: 0.25, inflight: 0, queued: 0 },
    },
  });
});

it('stats() counts waiters by priority even inside fair()', () => {
  for (const order of [fair(byPriority()), byPriority(fair())]) {
    const limiter = createLimiter({ limit: 1, queueLimit: 9, order });
    limiter.tryAcquire();
    call(limiter, { priority: 'critical' });
    expect(limiter.stats().priorities).toMatchObject({ critical: 1, normal: 0 });
    expect(limiter.stats().shares).toBeUndefined();
  }
});

it('longestWait is the wait of the oldest waiter of all keys', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, perKey: true, queueLimit: 9, clock });
  for (const key of ['a', 'b', 'c']) {
    limiter.tryAcquire({ key });
    if (key !== 'a') call(limiter, { key });
    clock.advance(10);
  }
  expect(limiter.stats()).toMatchObject({ keys: 3, queued: 2, longestWait: 20 });
});

it('stats() returns a snapshot, which does not change later', () => {
  const limiter = createLimiter({ limit: 1 });
  const before = limiter.stats();
  limiter.tryAcquire();
  call(limiter);
  expect(before).toMatchObject({ inflight: 0, admitted: 0, rejected: { full: 0 } });
});

it('a limiter reads the clock only for queued and rejected requests, unless an observer needs times', async () => {
  class Counting extends VirtualClock {
    readings = 0;
    override now(): number {
      this.readings++;
      return super.now();
    }
  }
  const clock = new Counting();
  const readings = () => {
    const { readings } = clock;
    clock.readings = 0;
    return readings;
  };
  const limiter = createLimiter({ limit: 1, queueLimit: 1, clock });
  limiter.tryAcquire()?.release();
  await limiter.run(() => 1);
  expect(readings()).toBe(0);
  const held = limiter.tryAcquire();
  call(limiter);
  held?.release();
  expect(readings()).toBeGreaterThan(0);
  const observed = (observer: Observer) => {
    const limiter = createLimiter({ limit: 1, clock });
    limiter.observe(observer);
    return limiter;
  };
  observed({ admitted() {} }).tryAcquire();
  expect(readings()).toBe(0);
  observed({ released() {} }).tryAcquire();
  expect(readings()).toBe(1);
  createLimiter({ limit: 1, clock, maxHold: 10 }).tryAcquire();
  expect(readings()).toBe(1);
});

it('a limiter uses the system clock by default', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: 5 });
  limiter.tryAcquire();
  const begun = systemClock.now();
  const refusal = limiter.acquire();
  await expect(refusal).rejects.toMatchObject({ rejection: { reason: 'timeout' } });
  expect(systemClock.now() - begun).toBeGreaterThanOrEqual(5);
  const held = limiter.acquire({ queueTimeout: 60_000 });
  void limiter.close();
  await expect(held).rejects.toMatchObject({ rejection: { reason: 'closed' } });
});

it('stats() contains the highest weight in flight, and how often each weight was reached', () => {
  const limiter = createLimiter({ limit: 9 });
  const permits = [1, 1, 1, 2].map((weight) => limiter.tryAcquire({ weight }));
  for (const permit of permits) permit?.release();
  limiter.tryAcquire();
  // In flight were 1, 2, 3, 5 and 1.
  expect(limiter.stats()).toMatchObject({ inflightPeak: 5, inflightHistogram: [2, 1, 1, 1] });
});

it('the highest weight in flight is that of a single key', () => {
  const limiter = createLimiter({ limit: 9, perKey: true });
  for (const key of ['a', 'b', 'b', 'b']) limiter.tryAcquire({ key });
  expect(limiter.stats()).toMatchObject({ inflight: 4, inflightPeak: 3 });
});
