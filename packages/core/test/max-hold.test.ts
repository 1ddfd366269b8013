import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it, vi } from 'vitest';
import {
  adaptive,
  createGate,
  createLimiter,
  type LimiterOptions,
  type Observer,
  type Permit,
} from '../src/index.ts';

function limited({
  observer,
  ...options
}: Partial<LimiterOptions> & { readonly observer?: Observer } = {}) {
  const clock = new VirtualClock();
  const leaks: number[] = [];
  const settings = { limit: 1, queueLimit: 9, queueTimeout: Number.POSITIVE_INFINITY };
  const limiter = createLimiter({ ...settings, maxHold: 100, clock, ...options });
  limiter.observe(observer ?? { leaked: ({ held }) => void leaks.push(held) });
  return { clock, leaks, limiter };
}

it('a permit held for longer than maxHold is reported and released', () => {
  const { clock, leaks, limiter } = limited();
  limiter.tryAcquire();
  clock.advance(99);
  expect([limiter.inflight, leaks]).toEqual([1, []]);
  clock.advance(1);
  expect([limiter.inflight, leaks]).toEqual([0, [100]]);
  expect(limiter.stats().leaked).toBe(1);
});

it('a permit released by maxHold goes to a waiter, and its own late release has no effect', () => {
  const { clock, limiter } = limited();
  const held = limiter.tryAcquire();
  const next = call(limiter);
  clock.advance(100);
  expect(next.permit?.waited).toBe(100);
  held?.release();
  expect(limiter.inflight).toBe(1);
});

it('a permit released in time is not reported', () => {
  const { clock, leaks, limiter } = limited();
  for (let round = 0; round < 5; round++) {
    const permit = limiter.tryAcquire();
    clock.advance(60);
    permit?.release();
  }
  clock.advance(1000);
  expect(leaks).toEqual([]);
});

it('run continues when its permit is released by maxHold, and its signal aborts', async () => {
  const { clock, limiter } = limited();
  const running = limiter.run(
    ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
  );
  clock.advance(100);
  expect(await running).toMatchObject({ code: 'ERR_HEADGATE_MAX_HOLD' });
  expect(limiter.inflight).toBe(0);
});

it('all permits use one timer', () => {
  const { clock, leaks, limiter } = limited({ limit: 50 });
  for (let index = 0; index < 50; index++) {
    limiter.tryAcquire();
    clock.advance(1);
    expect(clock.armed).toBe(1);
  }
  clock.advance(50);
  expect(leaks).toEqual([100]);
  clock.advance(49);
  expect(leaks).toEqual(Array(50).fill(100));
  expect(clock.armed).toBe(0);
});

it('all permits use one timer, even while released permits pass to waiters', () => {
  const { clock, leaks, limiter } = limited();
  for (let index = 0; index < 9; index++) call(limiter);
  for (let round = 1; round <= 8; round++) {
    clock.advance(100);
    expect([leaks.length, clock.armed]).toEqual([round, 1]);
  }
  clock.advance(100);
  expect([limiter.inflight, clock.armed]).toEqual([0, 0]);
});

it('the timer stops when no permit is held', () => {
  const { clock, limiter } = limited();
  limiter.tryAcquire()?.release();
  clock.advance(100);
  expect(clock.armed).toBe(0);
});

it('a permit held while its request waits for a later limit does not delay reports of other permits', async () => {
  const { clock, leaks, limiter } = limited({ limit: adaptive({ initial: 9 }) });
  const later = createLimiter({ name: 'later', limit: 1, queueLimit: 1, clock });
  const gate = createGate({ limits: [{ limiter }, { limiter: later }], queueLimit: 1, clock });
  const held = later.tryAcquire();
  const waiting = gate.acquire();
  limiter.tryAcquire();
  clock.advance(60);
  held?.release();
  await waiting;
  clock.advance(40);
  expect([leaks, limiter.inflight]).toEqual([[100], 1]);
  clock.advance(60);
  expect([leaks, limiter.inflight]).toEqual([[100, 100], 0]);
});

it('a late timer reports the actual hold time', () => {
  const { clock, leaks, limiter } = limited();
  limiter.tryAcquire();
  clock.busy(170);
  clock.advance(0);
  expect(leaks).toEqual([170]);
});

it('a maxHold longer than the maximum of a timer works', () => {
  const month = 31 * 24 * 60 * 60 * 1000;
  const { clock, leaks, limiter } = limited({ maxHold: month });
  limiter.tryAcquire();
  clock.advance(month - 1);
  expect(leaks).toEqual([]);
  clock.advance(1);
  expect(leaks).toEqual([month]);
});

it.each([undefined, Number.POSITIVE_INFINITY])(
  'a maxHold of %s releases no permit and sets no timer',
  (maxHold) => {
    const { clock, limiter } = limited({ maxHold });
    limiter.tryAcquire();
    expect(clock.armed).toBe(0);
    clock.advance(1e12);
    expect(limiter.inflight).toBe(1);
  },
);

it('the timer does not keep a process alive', () => {
  let referenced: boolean | undefined;
  const clock = {
    now: () => performance.now(),
    setTimeout: (callback: () => void, delay: number) => {
      const timer = setTimeout(callback, delay);
      queueMicrotask(() => {
        referenced = timer.hasRef();
        clearTimeout(timer);
      });
      return timer;
    },
    clearTimeout: () => {},
  };
  createLimiter({ limit: 1, maxHold: 1e6, clock }).tryAcquire();
  return Promise.resolve().then(() => expect(referenced).toBe(false));
});

it('without a `leaked` callback, a leaked permit causes one warning', () => {
  using emitWarning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const { clock, limiter } = limited({ limit: 2, name: 'uploads', observer: {} });
  const permits = [limiter.tryAcquire(), limiter.tryAcquire()] as Permit[];
  clock.advance(100);
  expect(permits.length - limiter.inflight).toBe(2);
  const message = '"uploads" was held for longer than maxHold (100 ms)';
  expect(emitWarning.mock.calls).toEqual([
    [expect.stringContaining(message), { code: 'HEADGATE_MAX_HOLD' }],
  ]);
});

it('a grant caused by maxHold does not delay the release of other permits', () => {
  const { clock, leaks, limiter } = limited({ limit: 2 });
  limiter.tryAcquire();
  clock.advance(50);
  limiter.tryAcquire();
  call(limiter);
  clock.advance(50);
  expect([limiter.queued, leaks]).toEqual([0, [100]]);
  clock.advance(50);
  expect(leaks).toEqual([100, 100]);
  clock.advance(50);
  expect([limiter.inflight, leaks, clock.armed]).toEqual([0, [100, 100, 100], 0]);
});

it('a gate admits with an aborted signal if the permit of an earlier limit has expired in the queue', async () => {
  const clock = new VirtualClock();
  const first = createLimiter({ name: 'first', limit: 1, maxHold: 30, clock });
  first.observe({ leaked: () => {} });
  const second = createLimiter({ name: 'second', limit: 1, queueLimit: 9, clock });
  const gate = createGate({
    limits: [{ limiter: first }, { limiter: second }],
    queueLimit: 9,
    clock,
  });
  const held = second.tryAcquire();
  const waiting = gate.acquire();
  clock.advance(40);
  expect(first.inflight).toBe(0);
  held?.release();
  const { signal } = await waiting;
  expect(signal.reason).toMatchObject({ code: 'ERR_HEADGATE_MAX_HOLD' });
});

it('a permit released by maxHold is reported once, even if the release lets its request pass a later limit', async () => {
  const clock = new VirtualClock();
  const leaks: number[] = [];
  const later = createLimiter({ name: 'later', limit: 1, queueLimit: 1, clock });
  const holder = later.tryAcquire();
  const observer = {
    leaked: ({ held }: { held: number }) => void leaks.push(held),
    released: () => holder?.release(),
  };
  const { limiter } = limited({ limit: adaptive(), clock, observer });
  const gate = createGate({ limits: [{ limiter }, { limiter: later }], queueLimit: 1, clock });
  const waiting = gate.acquire();
  clock.advance(100);
  expect((await waiting).signal.aborted).toBe(true);
  clock.advance(200);
  expect([leaks, limiter.stats().leaked, clock.armed]).toEqual([[100], 1, 0]);
});
