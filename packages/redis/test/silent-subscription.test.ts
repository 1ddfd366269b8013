import { createLimiter, type Limiter } from '@headgate/core';
import type { StoreListener } from '@headgate/core/distributed';
import { type RedisClient, redisStore } from '@headgate/redis';
import { type FaultyProxy, startProxy } from '@headgate/test-servers';
import { expectConnectionReplaced } from '@headgate/test-servers/processes';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Connection, SubscribeOptions } from '../src/connection.ts';
import { Subscription } from '../src/subscription.ts';
import { type AppClient, libraries, library } from './clients.ts';
import { useServer } from './server.ts';

const timeout = 150;
const subscribe = '$9\r\nsubscribe';
const { server: redis } = await useServer();
let proxy: FaultyProxy;
let serial = 0;

interface Process {
  readonly limiter: Limiter;
  readonly events: { readonly up: boolean; readonly error: Error | undefined }[];
}

/** Simulates a process: a limit of 1 with its own client. */
function start(app: AppClient, name: string, options: { timeout?: number } = {}): Process {
  const client: RedisClient = app.client;
  const store = redisStore({ client, timeout, ...options });
  const events: Process['events'] = [];
  const observer = { store: (event: Process['events'][number]) => events.push(event) };
  const limiter = createLimiter({ name, limit: 1, queueLimit: 9, store, observer });
  onTestFinished(async () => {
    await limiter.close({ timeout: 0 });
    await store.close();
    await app.close();
  });
  return { limiter, events };
}

async function useProxy(): Promise<void> {
  proxy = await startProxy(redis);
  onTestFinished(() => proxy.stop());
}

/** With an open subscription, a release elsewhere grants the waiter by a message. */
async function expectGrant(one: Process, two: Process): Promise<number> {
  const held = await one.limiter.acquire();
  const waiting = two.limiter.acquire();
  await vi.waitFor(() => expect(two.limiter.queued).toBe(1), { interval: 2 });
  const released = performance.now();
  held.release();
  (await waiting).release();
  return performance.now() - released;
}

describe.each(libraries)('$name', ({ connect }) => {
  test('a subscription that dies silently is replaced while a waiter depends on it, and the observer is notified', async () => {
    await useProxy();
    const name = `silent ${++serial}`;
    const one = start(connect(redis.port), name);
    const two = start(connect(proxy.port), name);
    await expectGrant(one, two);
    await expectConnectionReplaced(one, two, () =>
      vi.waitFor(() => expect(proxy.holdOnly(subscribe)).toBe(1), { interval: 5 }),
    );
    expect(one.events).toEqual([]);
  });
});

test('an unanswered attempt to subscribe is aborted and repeated', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const signals: AbortSignal[] = [];
  const connection = {
    isUp: true,
    isClosed: false,
    subscribe: ({ signal }: SubscribeOptions) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  } as unknown as Connection;
  const options = { connection, channel: 'one', timeout: 100, listener: () => undefined };
  const subscription = new Subscription(options);
  onTestFinished(() => subscription.close());
  subscription.open();
  await vi.advanceTimersByTimeAsync(5_100);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test('a subscription that keeps failing is reported once, and again when it opens', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let isRefused = true;
  const connection = {
    isUp: true,
    isClosed: false,
    subscribe: async () => {
      if (isRefused) throw new Error('NOPERM this user has no permissions');
      return { close: () => {} };
    },
  } as unknown as Connection;
  const muted = vi.fn();
  const listener = { muted, check: () => {}, isWaiting: false } as unknown as StoreListener;
  const options = { connection, channel: 'one', timeout: 100, listener: () => listener };
  const subscription = new Subscription(options);
  onTestFinished(() => subscription.close());
  subscription.open();
  // While a server restarts, the first attempts may fail.
  await vi.advanceTimersByTimeAsync(90);
  expect(muted).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(muted).toHaveBeenCalledOnce();
  expect(muted).toHaveBeenCalledWith(
    expect.objectContaining({
      code: 'ERR_HEADGATE_STORE_REFUSED',
      message: expect.stringMatching(/messages of Redis do not arrive.*NOPERM/),
    }),
  );
  isRefused = false;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(muted).toHaveBeenCalledTimes(2);
  expect(muted).toHaveBeenLastCalledWith(undefined);
});

test('without waiters no probe is sent, and messages that arrive make probes unnecessary', async () => {
  await useProxy();
  const name = `idle ${++serial}`;
  const one = start(library('ioredis 6').connect(redis.port), name, { timeout: 50 });
  const two = start(library('ioredis 6').connect(proxy.port), name, { timeout: 50 });
  await expectGrant(one, two);
  await new Promise((resolve) => setTimeout(resolve, 120));
  const before = proxy.commands;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(proxy.commands - before).toBe(0);

  const held = await one.limiter.acquire();
  const waiting = two.limiter.acquire();
  await new Promise((resolve) => setTimeout(resolve, 320));
  // The acquire, and one probe in 50 ms.
  expect(proxy.commands - before).toBeGreaterThan(3);
  expect(proxy.commands - before).toBeLessThan(9);
  held.release();
  (await waiting).release();
  expect(two.events).toEqual([]);
});
