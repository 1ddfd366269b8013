import { expect, it } from 'vitest';
import { createLimiter } from '../src/index.ts';

const limits = { limit: 1, queueLimit: 1 };

it('run() releases the permit at once when its function throws', async () => {
  const limiter = createLimiter(limits);
  const failing = limiter.run(() => {
    throw new Error('failed');
  });
  expect(limiter.inflight).toBe(0);
  await expect(failing).rejects.toThrow('failed');
});

it('run() holds the permit until a thenable that is not a promise has settled', async () => {
  const limiter = createLimiter(limits);
  let settle = (_value: string) => {};
  const thenable: PromiseLike<string> = {
    // biome-ignore lint/suspicious/noThenProperty: this is what it tests
    then: (onFulfilled) => new Promise<string>((resolve) => (settle = resolve)).then(onFulfilled),
  };
  const running = limiter.run(() => thenable);
  const queued = limiter.run(() => 'next');
  await Promise.resolve();
  expect([limiter.inflight, limiter.queued]).toEqual([1, 1]);
  settle('done');
  expect(await Promise.all([running, queued])).toEqual(['done', 'next']);
  expect(limiter.inflight).toBe(0);
});

it('run() has released the permit when its promise settles', async () => {
  const limiter = createLimiter(limits);
  await limiter.run(async () => {});
  expect(limiter.inflight).toBe(0);
  await limiter.run(() => Promise.reject(new Error('failed'))).catch(() => {});
  expect(limiter.inflight).toBe(0);
});

it('run() releases the permit even if its function returns a promise that cannot be awaited', async () => {
  const limiter = createLimiter(limits);
  const hostile = Object.defineProperty(Promise.resolve(), 'constructor', {
    get() {
      throw new Error('failed');
    },
  });
  await expect(limiter.run(() => hostile)).rejects.toThrow('failed');
  expect(limiter.inflight).toBe(0);
});
