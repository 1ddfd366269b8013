import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter, type Permit } from '../src/index.ts';

function permitted(options = {}) {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 4, queueLimit: 9, clock, ...options });
  // Otherwise a permit that `maxHold` releases causes a warning.
  limiter.observe({ leaked: () => {} });
  return { clock, limiter, permit: limiter.tryAcquire({ weight: 2 }) as Permit };
}

/** A promise and the functions that settle it. */
function latch<T = void>() {
  let open!: (value: T) => void;
  let fail!: (error: unknown) => void;
  const closed = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { closed, open, fail };
}

const settled = () => new Promise(setImmediate);

it('a permit has its weight and its time in the queue', () => {
  const { clock, limiter, permit } = permitted();
  expect(permit).toMatchObject({ weight: 2, key: undefined, waited: 0 });
  const caller = call(limiter, { weight: 3 });
  clock.advance(40);
  permit.release();
  expect(caller.permit).toMatchObject({ weight: 3, waited: 40 });
});

it('Symbol.dispose releases a permit', () => {
  const { limiter, permit } = permitted();
  permit[Symbol.dispose]();
  expect(limiter.inflight).toBe(0);
});

it('the end of a block with `using` releases a permit', () => {
  const { limiter, permit } = permitted();
  permit.release();
  {
    using mine = limiter.tryAcquire({ weight: 3 });
    expect([mine?.weight, limiter.inflight]).toEqual([3, 3]);
  }
  expect(limiter.inflight).toBe(0);
});

it('waitUntil: the owner does not release the permit before the work settles', async () => {
  const { limiter, permit } = permitted();
  const work = latch();
  permit.waitUntil(work.closed);
  permit[Symbol.dispose]();
  await settled();
  expect(limiter.inflight).toBe(2);
  work.open();
  await settled();
  expect(limiter.inflight).toBe(0);
});

it('waitUntil: work that settles before the owner ends has no effect', async () => {
  const { limiter, permit } = permitted();
  permit.waitUntil(Promise.resolve());
  await settled();
  expect(limiter.inflight).toBe(2);
  permit[Symbol.dispose]();
  expect(limiter.inflight).toBe(0);
});

it('waitUntil: all work must settle, and failed work counts as settled', async () => {
  const { limiter, permit } = permitted();
  const [one, two, three] = [latch(), latch(), latch()];
  permit.waitUntil(one.closed);
  permit.waitUntil(two.closed);
  permit[Symbol.dispose]();
  permit.waitUntil(three.closed);
  for (const { fail } of [one, two]) fail(new Error('for its other readers'));
  await settled();
  expect(limiter.inflight).toBe(2);
  three.open();
  await settled();
  expect(limiter.inflight).toBe(0);
});

it('waitUntil: run resolves at once, and the permit is released later', async () => {
  const { limiter, permit } = permitted();
  permit.release();
  const work = latch();
  const answer = await limiter.run((mine) => {
    mine.waitUntil(work.closed);
    return 'done';
  });
  expect([answer, limiter.inflight]).toEqual(['done', 1]);
  work.open();
  await settled();
  expect(limiter.inflight).toBe(0);
});

it('waitUntil: an explicit release takes precedence', async () => {
  const { limiter, permit } = permitted();
  const work = latch();
  permit.waitUntil(work.closed);
  permit.release();
  expect(limiter.inflight).toBe(0);
  work.open();
  permit[Symbol.dispose]();
  await settled();
  expect(limiter.inflight).toBe(0);
});

it('waitUntil: the permit is released after maxHold even if the work has not settled', () => {
  const { clock, limiter, permit } = permitted({ maxHold: 50 });
  permit.waitUntil(new Promise(() => {}));
  permit[Symbol.dispose]();
  clock.advance(50);
  expect(limiter.inflight).toBe(0);
  permit.release();
  expect(limiter.inflight).toBe(0);
});

it.each<[string, unknown]>([
  ['no promise', undefined],
  ['a value', 5],
  [
    'a thenable that settles twice',
    {
      // biome-ignore lint/suspicious/noThenProperty: a careless library might do this
      then: (done: () => void, fail: () => void) => {
        done();
        fail();
      },
    },
  ],
  [
    'a thenable that throws',
    {
      // biome-ignore lint/suspicious/noThenProperty: a careless library might do this
      then: () => {
        throw new Error('then');
      },
    },
  ],
])('waitUntil: the permit is released even if the work is %s', async (_, work) => {
  const { limiter, permit } = permitted();
  try {
    permit.waitUntil(work as Promise<void>);
  } catch {}
  permit[Symbol.dispose]();
  await settled();
  expect(limiter.inflight).toBe(0);
});

it('the signal is created on first use and is always the same', () => {
  const { permit } = permitted();
  const before = Object.values(permit).some((value) => value instanceof AbortController);
  expect(before).toBe(false);
  expect(permit.signal).toBe(permit.signal);
  expect(permit.signal.aborted).toBe(false);
});

it('the signal aborts when maxHold has passed, before the permit is released', () => {
  const { clock, limiter, permit } = permitted({ maxHold: 50 });
  const { signal } = permit;
  clock.advance(49);
  expect(signal.aborted).toBe(false);
  clock.advance(1);
  expect(signal.reason).toMatchObject({ code: 'ERR_HEADGATE_MAX_HOLD' });
  expect(limiter.inflight).toBe(0);
});

it('a signal first read after maxHold has already aborted', () => {
  const { clock, permit } = permitted({ maxHold: 50 });
  clock.advance(50);
  expect(permit.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_MAX_HOLD' });
});

it('the signal of a permit released in time never aborts', async () => {
  const { clock, limiter, permit } = permitted({ maxHold: 50 });
  const { signal } = permit;
  const other = limiter.tryAcquire();
  permit.release();
  const closed = limiter.close({ timeout: 10 });
  clock.advance(10);
  expect(await closed).toBe(1);
  expect(signal.aborted).toBe(false);
  other?.release();
  clock.advance(100);
  expect(signal.aborted).toBe(false);
});
