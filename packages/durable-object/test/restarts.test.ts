import { createLimiter } from '@headgate/core';
import { durableObjectStore } from '@headgate/durable-object';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SimulatedNamespace } from './simulated-namespace.ts';

const timeout = 1_000;

it('an object that is replaced in less than the timeout of a call rejects no waiter and no new caller', async () => {
  const namespace = new SimulatedNamespace();
  const store = durableObjectStore({ namespace, timeout });
  onTestFinished(() => store.close());
  const limiter = createLimiter({
    ...{ name: 'reports', limit: 1, queueLimit: 100, queueTimeout: 20_000, store },
  });
  const held = await limiter.acquire();
  const all = Array.from({ length: 10 }, () => limiter.acquire());
  await vi.waitFor(async () =>
    expect(await store.stats({ name: 'reports' })).toMatchObject({ queued: 10 }),
  );
  const end = namespace.refuse();
  for (let i = 0; i < 3; i++) all.push(limiter.acquire());
  held.release();
  setTimeout(end, timeout / 2);
  const served = all.map(async (one) => (await one).release());
  await Promise.all(served);
  expect(limiter.stats().distributed).toMatchObject({ up: true, lost: 0 });
});

it('the calls of an object that cannot be reached end with their timeout', async () => {
  const namespace = new SimulatedNamespace();
  const store = durableObjectStore({ namespace, timeout: 100 });
  namespace.refuse();
  const op = { verb: 'declare', ref: { name: 'a', limit: 1, version: '' } } as const;
  const [answer] = await store.send([op], 100);
  expect(answer).toMatchObject({ error: { code: 'ERR_HEADGATE_STORE_DOWN' } });
  expect(namespace.calls).toBeGreaterThan(1);
  expect(namespace.calls).toBeLessThan(20);
  await store.close();
});

it('a process checks its waiters when the response that would push their grants breaks', async () => {
  const namespace = new SimulatedNamespace();
  const store = durableObjectStore({ namespace, timeout });
  onTestFinished(() => store.close());
  let checks = 0;
  store.listen({
    grant: () => {},
    recall: () => {},
    state: () => {},
    check: () => {
      checks++;
    },
  });
  const lease = (id: string) => ({
    ...{ ref: { name: 'reports', limit: 1, version: '' }, id: `${store.owner}.${id}`, weight: 1 },
    ...{ resized: false, wait: 60_000, queueLimit: 9, extraTokens: 0, reserves: false },
  });
  const ops = ['held', 'queued'].map((id) => ({ verb: 'acquire', lease: lease(id) }) as const);
  expect(await store.send(ops, timeout)).toMatchObject([{ state: 'held' }, { state: 'queued' }]);
  namespace.refuse();
  await vi.waitFor(() => expect(checks).toBe(1));
});
