import { call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createLimiter, map, RejectedError } from '../src/index.ts';

// Behaviour expected of any good in-process semaphore.

it('requests are weighted and FIFO, and tryAcquire returns undefined while a waiter is queued', () => {
  const limiter = createLimiter({ limit: 3, queueLimit: 9 });
  const held = limiter.tryAcquire({ weight: 2 });
  const first = call(limiter, { weight: 2 });
  const second = call(limiter, { weight: 1 });
  expect(limiter.tryAcquire()).toBeUndefined();
  expect(limiter.queued).toBe(2);
  held?.release();
  expect(first.permit?.weight).toBe(2);
  expect(second.permit?.weight).toBe(1);
  expect(limiter.inflight).toBe(3);
});

it('acquire() rejects with an aborted signal even if there is room', async () => {
  const limiter = createLimiter({ limit: 1 });
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(limiter.acquire({ signal })).rejects.toThrow('gone');
  await expect(limiter.run(() => 1, { signal })).rejects.toThrow('gone');
  expect(limiter.stats()).toMatchObject({ inflight: 0, admitted: 0, withdrawn: 0 });
});

it('a weight above the limit is an error at once and never queued', async () => {
  const limiter = createLimiter({ limit: 3, queueLimit: 9 });
  const error = { code: 'ERR_HEADGATE_WEIGHT', option: 'weight' };
  await expect(limiter.acquire({ weight: 4 })).rejects.toMatchObject(error);
  await expect(limiter.run(() => 1, { weight: 4 })).rejects.toMatchObject(error);
  expect(() => limiter.tryAcquire({ weight: 4 })).toThrow(expect.objectContaining(error));
  expect(() => call(limiter, { weight: 4 })).toThrow(expect.objectContaining(error));
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

it('when the first waiter leaves, the next waiters are granted if they now fit', () => {
  const limiter = createLimiter({ limit: 3, queueLimit: 9 });
  limiter.tryAcquire({ weight: 1 });
  const front = call(limiter, { weight: 3 });
  const behind = call(limiter, { weight: 1 });
  const last = call(limiter, { weight: 2 });
  limiter.withdraw(front);
  expect(behind.permit).toBeDefined();
  expect(last.permit).toBeUndefined();
  expect(front.answers).toBe(0);
});

it('when the first waiter times out, the next ones are granted; when a later one times out, they are not', () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 3, queueLimit: 9, clock });
  limiter.tryAcquire({ weight: 1 });
  const front = call(limiter, { weight: 3, queueTimeout: 10 });
  const middle = call(limiter, { weight: 1 });
  const behind = call(limiter, { weight: 2 });
  limiter.withdraw(middle);
  expect(behind.permit).toBeUndefined();
  clock.advance(10);
  expect(front.rejection?.reason).toBe('timeout');
  expect(behind.permit).toBeDefined();
});

it('an abort that races with a grant releases the permit', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 9 });
  const held = limiter.tryAcquire();
  const controller = new AbortController();
  let called = false;
  const running = limiter.run(() => (called = true), { signal: controller.signal });
  held?.release();
  expect(limiter.inflight).toBe(1);
  controller.abort(new Error('too late'));
  await expect(running).rejects.toThrow('too late');
  expect(called).toBe(false);
  expect(limiter.inflight).toBe(0);
});

it('an abort that makes room grants no waiter with the same signal', async () => {
  const limiter = createLimiter({ limit: 2, queueLimit: 9 });
  limiter.tryAcquire();
  const { signal, abort } = abortable();
  const waiting = [limiter.acquire({ weight: 2, signal }), limiter.acquire({ signal })];
  const other = limiter.acquire();
  abort(new Error('gone'));
  for (const one of waiting) await expect(one).rejects.toThrow('gone');
  expect((await other).weight).toBe(1);
  expect(limiter.stats()).toMatchObject({ inflight: 2, queued: 0, withdrawn: 2 });
});

it('a permit is released once, and no release raises the limit', () => {
  const limiter = createLimiter({ limit: 2 });
  const [one, two] = [limiter.tryAcquire(), limiter.tryAcquire()];
  one?.release();
  one?.release();
  one?.[Symbol.dispose]();
  expect(limiter.inflight).toBe(1);
  expect(limiter.tryAcquire()).toBeDefined();
  expect(limiter.tryAcquire()).toBeUndefined();
  two?.release();
  expect([limiter.inflight, limiter.limit]).toEqual([1, 2]);
});

it('a heavy waiter is not starved by a stream of light ones, nor by withdrawals', () => {
  const limiter = createLimiter({ limit: 4, queueLimit: Number.POSITIVE_INFINITY });
  const held = Array.from({ length: 4 }, () => limiter.tryAcquire());
  const large = call(limiter, { weight: 4 });
  for (const permit of held) {
    expect(large.permit).toBeUndefined();
    const [small, cancels] = [call(limiter), call(limiter)];
    limiter.withdraw(cancels);
    permit?.release();
    expect(small.permit).toBeUndefined();
  }
  expect(large.permit?.weight).toBe(4);
  expect(limiter.queued).toBe(4);
});

it('the weight held never exceeds the limit', async () => {
  const limiter = createLimiter({ limit: 5, queueLimit: Number.POSITIVE_INFINITY });
  let held = 0;
  let most = 0;
  const work = async (weight: number) => {
    held += weight;
    most = Math.max(most, held);
    expect(limiter.inflight).toBeGreaterThanOrEqual(held);
    expect(limiter.inflight).toBeLessThanOrEqual(5);
    for (let turn = 0; turn < weight; turn++) await null;
    held -= weight;
  };
  const weights = Array.from({ length: 200 }, (_, index) => 1 + ((index * 7) % 5));
  await Promise.all(weights.map((weight) => limiter.run(() => work(weight), { weight })));
  expect(most).toBe(5);
  expect(limiter.inflight).toBe(0);
});

it('run returns the value of the function and releases the permit', async () => {
  const limiter = createLimiter({ limit: 1 });
  expect(await limiter.run(() => 'plain')).toBe('plain');
  expect(await limiter.run(async () => 'awaited')).toBe('awaited');
  expect(limiter.inflight).toBe(0);
});

it('run releases the permit on an error, synchronous or not', async () => {
  const limiter = createLimiter({ limit: 1 });
  const thrown = new Error('thrown');
  const throws = () => {
    expect(limiter.inflight).toBe(1);
    throw thrown;
  };
  await expect(limiter.run(throws)).rejects.toBe(thrown);
  await expect(limiter.run(async () => throws())).rejects.toBe(thrown);
  expect(limiter.inflight).toBe(0);
});

it('run does not call the function without a permit', async () => {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 1, queueLimit: 1, queueTimeout: 10, clock });
  limiter.tryAcquire();
  let calls = 0;
  const waiting = limiter.run(() => calls++);
  const full = limiter.run(() => calls++);
  await expect(full).rejects.toBeInstanceOf(RejectedError);
  clock.advance(10);
  await expect(waiting).rejects.toMatchObject({ rejection: { reason: 'timeout' } });
  void limiter.close();
  await expect(limiter.run(() => calls++)).rejects.toMatchObject({
    rejection: { reason: 'closed' },
  });
  expect(calls).toBe(0);
});

it('a worker pool can be built with only a limiter', async () => {
  let atWork = 0;
  let most = 0;
  const started: number[] = [];
  const squares = await map(
    [1, 2, 3, 4, 5],
    async (item) => {
      started.push(item);
      most = Math.max(most, ++atWork);
      await new Promise(setImmediate);
      atWork--;
      return item * item;
    },
    { limit: 2 },
  );
  expect(squares).toEqual([1, 4, 9, 16, 25]);
  expect(started).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason: unknown) => controller.abort(reason) };
}
