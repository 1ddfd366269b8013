import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Memory, memoryStore } from '@headgate/store-kit/memory-store';
import { WatchedRequest } from '@headgate/test-kit/watched-request';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createGate, createLimiter, defaultLimit } from '../src/index.ts';

const tenant = new AsyncLocalStorage<string>();

const short = () => delay(5);

/** Calls `work` again and again, outside of the watched request, until the test ends. */
function meanwhile(work: () => Promise<unknown>): void {
  let hasEnded = false;
  onTestFinished(() => {
    hasEnded = true;
  });
  void (async () => {
    while (!hasEnded) await work().catch(short);
  })();
}

it('the async context of a request is garbage-collected even while the timer of maxHold is set', async () => {
  const limiter = createLimiter({ limit: 5, maxHold: 600_000 });
  const request = new WatchedRequest();
  await request.run(() => limiter.run(short));
  expect(await request.remains()).toEqual([]);
});

it.each([
  ['limiter', () => createLimiter({ limit: 1, queueLimit: 9, queueTimeout: 60_000 })],
  [
    'gate',
    () => {
      const limits = [{ name: 'app', limit: 1 }];
      return createGate({ limits, queueLimit: 9, queueTimeout: 60_000 });
    },
  ],
])('the context of a queued request is collected while others wait: %s', async (_, create) => {
  const entrance = create();
  const held = await entrance.acquire();
  const request = new WatchedRequest();
  const first = request.run(() => entrance.run(short));
  const later = Promise.allSettled([1, 2, 3].map(() => entrance.acquire()));
  held.release();
  await first;
  expect(await request.remains()).toEqual([]);
  void entrance.close();
  await later;
});

it('the async context of a request is garbage-collected even while the default limit paces later requests', async () => {
  const limiter = createLimiter({ limit: defaultLimit() });
  const request = new WatchedRequest();
  const busy = () =>
    limiter.run(async () => {
      const until = performance.now() + 2;
      while (performance.now() < until);
      await null;
    });
  const first = request.run(busy);
  for (let caller = 0; caller < 40; caller++) meanwhile(busy);
  await first;
  expect(await request.remains()).toEqual([]);
});

it.each([1, 20])(
  'the async context of a request is garbage-collected even while %i other requests use its distributed limit',
  async (callers) => {
    const memory = new Memory();
    const limiters = [1, 2].map(() => {
      const store = memoryStore({ memory, leaseDuration: 600, timeout: 200 });
      return createLimiter({ name: 'app', limit: 2, queueLimit: 99, queueTimeout: 5_000, store });
    });
    onTestFinished(() => void limiters.map((limiter) => limiter.close()));
    const [limiter, other] = limiters as [(typeof limiters)[0], (typeof limiters)[0]];
    const request = new WatchedRequest();
    const first = request.run(() => limiter.run(short));
    for (let caller = 0; caller < callers; caller++) {
      meanwhile(() => limiter.run(() => null));
      meanwhile(() => other.run(short));
    }
    await first;
    expect(await request.remains()).toEqual([]);
  },
);

it("work that a store's answer starts runs outside the async context of any request", async () => {
  const seen: unknown[] = [];
  const store = memoryStore();
  const limiter = createLimiter({
    ...{ name: 'app', limit: 2, queueLimit: 9, store },
  });
  limiter.observe({ admitted: () => void seen.push(tenant.getStore()) });
  onTestFinished(() => void limiter.close());
  await Promise.all(['A', 'B'].map((name) => tenant.run(name, () => limiter.run(() => null))));
  expect(seen).toEqual([undefined, undefined]);
});

it('a batch of operations is sent in the async context of its first request', async () => {
  const seen: unknown[] = [];
  const store = memoryStore();
  vi.spyOn(store, 'send').mockImplementation(async (ops) => {
    seen.push(tenant.getStore());
    return ops.map(() => ({ error: new Error('down') as never }));
  });
  const limiter = createLimiter({
    name: 'app',
    limit: 9,
    store,
    onStoreError: 'admit',
  });
  limiter.observe({ store: () => {} });
  onTestFinished(() => void limiter.close());
  for (const name of ['A', 'B', 'C']) {
    void tenant.run(name, () => limiter.run(() => null));
    await null;
    await null;
  }
  await delay(5);
  expect(seen.slice(0, 2)).toEqual(['A', 'B']);
});
