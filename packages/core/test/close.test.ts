import { getEventListeners } from 'node:events';
import { type Caller, call } from '@headgate/test-kit/caller';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { createGate, createLimiter, type Permit } from '../src/index.ts';

function inUse(options = {}) {
  const clock = new VirtualClock();
  const limiter = createLimiter({ limit: 2, queueLimit: 9, clock, ...options });
  const key = limiter.perKey ? 'a' : undefined;
  const held = limiter.tryAcquire({ key, weight: 2 }) as Permit;
  return { clock, limiter, held };
}

/** Whether a promise has already settled. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  await new Promise(setImmediate);
  return (await Promise.race([promise, pending])) !== pending;
}

it('close() rejects new and queued requests and lets running ones finish', async () => {
  const { limiter, held } = inUse();
  const waiting = [call(limiter, { weight: 2 }), call(limiter), call(limiter)];
  const closed = limiter.close();
  for (const { rejection } of waiting) expect(rejection?.reason).toBe('closed');
  expect(call(limiter).rejection).toMatchObject({
    reason: 'closed',
    limitName: 'unnamed',
    waited: 0,
  });
  expect(limiter.tryAcquire()).toBeUndefined();
  await expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'closed' } });
  await expect(limiter.run(() => 1)).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
  expect(await isSettled(closed)).toBe(false);
  held.release();
  expect(await closed).toBe(0);
  expect(limiter.tryAcquire()).toBeUndefined();
});

it('close() is idempotent; every call resolves when the last permit is released', async () => {
  const { limiter, held } = inUse();
  const both = [limiter.close(), limiter.close()];
  held.release();
  expect(await Promise.all(both)).toEqual([0, 0]);
  expect(await limiter.close()).toBe(0);
});

it('close() resolves at once when no permit is held', async () => {
  expect(await createLimiter({ limit: 1 }).close()).toBe(0);
});

it('close() rejects the waiters of every key', () => {
  const { limiter } = inUse({ perKey: true });
  limiter.tryAcquire({ key: 'b', weight: 2 });
  const waiting = [call(limiter, { key: 'a' }), call(limiter, { key: 'b' })];
  void limiter.close();
  expect(waiting.map(({ rejection }) => rejection?.reason)).toEqual(['closed', 'closed']);
  expect(limiter.stats()).toMatchObject({ queued: 0, keys: 2, rejected: { closed: 2 } });
});

it('close() grants no waiter, even if a rejected one releases a permit', () => {
  const { limiter, held } = inUse();
  const first = call(limiter, { weight: 2, onRejected: () => held.release() });
  const second = call(limiter);
  void limiter.close();
  expect([first, second].map(({ rejection }) => rejection?.reason)).toEqual(['closed', 'closed']);
  expect(limiter.inflight).toBe(0);
});

it('a waiter that requests again within its rejection is rejected again', () => {
  const { limiter } = inUse();
  let again: Caller | undefined;
  call(limiter, { onRejected: () => (again = call(limiter)) });
  void limiter.close();
  expect(again?.rejection?.reason).toBe('closed');
});

it('close() called by a granted waiter rejects all other waiters', () => {
  const { limiter, held } = inUse();
  const first = call(limiter, { onGranted: () => void limiter.close() });
  const second = call(limiter);
  held.release();
  expect(first.permit).toBeDefined();
  expect(second.rejection?.reason).toBe('closed');
});

it('raising the limit of a closed limiter admits no requests', () => {
  const { limiter } = inUse();
  void limiter.close();
  limiter.setLimit(10);
  expect(limiter.tryAcquire()).toBeUndefined();
});

it('timeout: close() resolves to the number of permits still held, and their signals abort', async () => {
  const { clock, limiter, held } = inUse({ limit: 3 });
  const other = limiter.tryAcquire() as Permit;
  const { signal } = held;
  const closed = limiter.close({ timeout: 50 });
  clock.advance(49);
  expect(await isSettled(closed)).toBe(false);
  expect(signal.aborted).toBe(false);
  clock.advance(1);
  expect(await closed).toBe(2);
  expect(signal.reason).toMatchObject({ code: 'ERR_HEADGATE_CLOSED' });
  expect(other.signal.reason).toBe(signal.reason);
  expect(limiter.inflight).toBe(3);
  held.release();
  other.release();
  expect(limiter.inflight).toBe(0);
});

it('timeout: the timer is cleared if the last permit is released in time', async () => {
  const { clock, limiter, held } = inUse();
  const closed = limiter.close({ timeout: 50 });
  expect(clock.armed).toBe(1);
  held.release();
  expect(await closed).toBe(0);
  expect(clock.armed).toBe(0);
  expect(held.signal.aborted).toBe(false);
});

it('timeout: Infinity, the default, sets no timer', () => {
  const { clock, limiter } = inUse();
  void limiter.close({ timeout: Number.POSITIVE_INFINITY });
  void limiter.close();
  expect(clock.armed).toBe(0);
});

it('timeout: close() can be called again after it has timed out', async () => {
  const { clock, limiter, held } = inUse();
  const first = limiter.close({ timeout: 50 });
  clock.advance(50);
  expect(await first).toBe(1);
  const second = limiter.close();
  held.release();
  expect(await second).toBe(0);
});

it('signal: an abort ends the wait, as the timeout does, and leaves no listener', async () => {
  const { clock, limiter, held } = inUse();
  const controller = new AbortController();
  const closed = limiter.close({ timeout: 50, signal: controller.signal });
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  controller.abort();
  expect(await closed).toBe(1);
  expect(held.signal.aborted).toBe(true);
  expect(clock.armed).toBe(0);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

it('signal: with an aborted signal, close() rejects the waiters and does not wait', async () => {
  const { limiter } = inUse();
  const waiting = call(limiter);
  expect(await limiter.close({ signal: AbortSignal.abort() })).toBe(1);
  expect(waiting.rejection?.reason).toBe('closed');
});

it('signal: no listener is left when the last permit is released', async () => {
  const { limiter, held } = inUse();
  const { signal } = new AbortController();
  const closed = limiter.close({ signal });
  held.release();
  expect(await closed).toBe(0);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

it.each([Number.NaN, -1, '50'])(
  'close() rejects the timeout %s',
  async (timeout) => {
    const { limiter } = inUse();
    const closing = async () => limiter.close({ timeout: timeout as number });
    await expect(closing()).rejects.toMatchObject({
      code: 'ERR_HEADGATE_OPTION',
      option: 'timeout',
    });
  },
  1000,
);

it.each(['a limiter', 'a gate'])(
  'close() of %s in shadow mode ends with its last permit, and aborts no later permit',
  async (kind) => {
    const limiter = createLimiter({ limit: 1 });
    const shadowed = createGate({
      limits: [
        { name: 'one', limit: 1 },
        { name: 'two', limit: 1 },
      ],
      mode: 'shadow',
    });
    limiter.shadow();
    const source = kind === 'a gate' ? shadowed : limiter;
    const held = await source.acquire();
    const closed = source.close();
    held.release();
    const next = await source.acquire();
    expect(await closed).toBe(0);
    expect(next.signal.aborted).toBe(false);
  },
);

it('signal: if an abort also releases the last permit, later permits in shadow mode are not aborted', async () => {
  const { limiter, held } = inUse();
  limiter.shadow();
  const controller = new AbortController();
  const closed = limiter.close({ signal: controller.signal });
  controller.signal.addEventListener('abort', () => held.release());
  controller.abort();
  expect(await closed).toBe(0);
  const next = await limiter.acquire();
  expect(next.signal.aborted).toBe(false);
});
