import { Waiter } from '@headgate/core';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { expect, test } from 'vitest';
import { outcome, scene, settled, timeout } from './world.ts';

class QueuedWaiter extends Waiter {
  answer: unknown;
  constructor(private readonly whenQueued: () => void) {
    super();
  }
  granted(permit: unknown): void {
    this.answer = permit;
  }
  rejected({ reason }: { reason: string }): void {
    this.answer = reason;
  }
  override queued(): void {
    this.whenQueued();
  }
}

test('a request whose queued() closes the limiter during an outage is rejected', async () => {
  const { world, store, limiter } = scene({ onStoreError: 'local' });
  store.trouble = 'silent';
  const held = outcome(limiter.acquire());
  await world.advance(timeout);
  expect(held.permit).toBeDefined();
  const waiter = new QueuedWaiter(() => void limiter.close());
  limiter.request(waiter);
  await settled();
  expect(waiter.answer).toBe('closed');
});

test('a key is counted once even if a queued() callback uses it during an outage', async () => {
  const { world, store, limiter } = scene({ onStoreError: 'local', perKey: true });
  store.trouble = 'silent';
  const held = outcome(limiter.acquire({ key: 'a' }));
  await world.advance(timeout);
  const inner = new QueuedWaiter(() => {});
  inner.key = 'a';
  const waiter = new QueuedWaiter(() => {
    held.permit?.release();
    limiter.request(inner);
  });
  waiter.key = 'a';
  limiter.request(waiter);
  await settled();
  (inner.answer as { release(): void }).release();
  await settled();
  expect(waiter.answer).toMatchObject({ weight: 1 });
  (waiter.answer as { release(): void }).release();
  await world.advance(10_000);
  expect(limiter.stats()).toMatchObject({ keys: 0, inflight: 0, queued: 0 });
});

test('a permit admitted after a refusal is registered even without another request', async () => {
  const { world, store, limiter } = scene({ onStoreError: 'admit' });
  store.trouble = 'refused';
  const permit = await limiter.acquire();
  store.trouble = undefined;
  await world.advance(20_000);
  expect(await world.stats()).toMatchObject({ inflight: 1 });
  permit.release();
});

test('handoff: a lease that the store has refused is not reused for another waiter', async () => {
  const warnings = collectWarnings();
  const { world, store, limiter } = scene({ limit: 2, handoff: 1, onStoreError: 'local' });
  const other = world.limiter({ limit: 2 });
  const held = await limiter.acquire({ weight: 2 });
  store.trouble = 'refused';
  const refused = outcome(limiter.acquire());
  await settled();
  store.trouble = undefined;
  const behind = outcome(limiter.acquire());
  await settled();
  (await Promise.resolve(other)).setLimit(3);
  void other.acquire({ queueTimeout: 1 }).catch(() => {});
  await settled();
  other.setLimit(3);
  await world.advance(150);
  expect(refused.permit).toBeDefined();
  refused.permit?.release();
  held.release();
  await world.advance(1000);
  expect(behind.permit).toBeDefined();
  expect(warnings).toEqual([]);
  behind.permit?.release();
});
