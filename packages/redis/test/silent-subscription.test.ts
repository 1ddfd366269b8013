import { createLimiter, type Limiter } from '@headgate/core';
import { redisStore } from '@headgate/redis';
import type { Store, StoreListener } from '@headgate/store-kit';
import { startProxy } from '@headgate/test-servers';
import { expectConnectionReplaced } from '@headgate/test-servers/processes';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import type { Connection, SubscribeOptions } from '../src/connection.ts';
import { Subscription } from '../src/subscription.ts';
import { type AppClient, libraries, library } from './clients.ts';
import { useServer } from './server.ts';

/** Timeout of a call and interval of probes, in milliseconds: a call on a busy machine must not time out. */
const timeout = 800;
const subscribe = '$9\r\nsubscribe';
const { server: redis, admin } = await useServer();
let serial = 0;

interface Process {
  readonly store: Store;
  readonly limiter: Limiter;
  readonly events: { readonly up: boolean; readonly error: Error | undefined }[];
}

/** Simulates a process: a limit of 1 with its own client, which is connected and has loaded the scripts. */
async function start(
  { onTestFinished }: TestContext,
  app: AppClient,
  name: string,
): Promise<Process> {
  const store = redisStore({ client: app.client, timeout });
  const events: Process['events'] = [];
  let wasUp = true;
  const observer = {
    store: (event: Process['events'][number]) => {
      // On a busy machine a call may also be late, which starts and ends an outage.
      if (event.up && (wasUp || event.error !== undefined)) events.push(event);
      wasUp = event.up;
    },
  };
  const queue = { queueLimit: 9, queueTimeout: 20_000 };
  const limiter = createLimiter({ name, limit: 1, ...queue, store });
  limiter.observe(observer);
  onTestFinished(async () => {
    await limiter.close({ timeout: 0 });
    await store.close();
    await app.close();
  });
  await vi.waitFor(() => store.stats({ name }), 10_000);
  await vi.waitFor(async () => (await limiter.acquire()).release(), 10_000);
  return { store, limiter, events };
}

async function proxied({ onTestFinished }: TestContext) {
  const proxy = await startProxy(redis);
  onTestFinished(() => proxy.stop());
  return proxy;
}

/** Resolves when `two` is queued behind a permit of `one`. */
async function queued(one: Process, two: Process) {
  const held = await one.limiter.acquire();
  const waiting = two.limiter.acquire();
  await vi.waitFor(() => expect(two.limiter.queued).toBe(1), { interval: 2, timeout: 10_000 });
  return { held, waiting };
}

/** Expects that a release in one process reaches the waiter of the other by a message. */
async function expectGrant(one: Process, two: Process): Promise<void> {
  const { held, waiting } = await queued(one, two);
  held.release();
  (await waiting).release();
}

describe.concurrent.each(libraries)('$name', ({ connect }) => {
  test('a subscription that dies silently is replaced while a waiter depends on it, and the observer is notified', async (context) => {
    const proxy = await proxied(context);
    const name = `silent ${++serial}`;
    const one = await start(context, connect(redis.port), name);
    const two = await start(context, connect(proxy.port), name);
    await expectGrant(one, two);
    const die = () => expect(proxy.holdOnly(subscribe)).toBe(1);
    await expectConnectionReplaced(one, two, () =>
      vi.waitFor(die, { interval: 5, timeout: 10_000 }),
    );
    expect(one.events).toEqual([]);
  });
});

test.concurrent('a subscription is probed while a waiter depends on it, unless a message has arrived', async (context) => {
  const { connect } = library('ioredis 6');
  const name = `probed ${++serial}`;
  const one = await start(context, connect(redis.port), name);
  const two = await start(context, connect(redis.port), name);
  const channel = `headgate:${two.store.owner}`;
  const other = new Redis(redis.port);
  context.onTestFinished(() => other.disconnect());
  await other.subscribe(channel);
  let probes = 0;
  other.on('message', (_, message) => {
    if (message === 'probe') probes += 1;
  });
  const isSubscribed = async () =>
    expect(await admin.pubsub('NUMSUB', channel)).toEqual([channel, 2]);
  await vi.waitFor(isSubscribed, 10_000);
  await expectGrant(one, two);
  await new Promise((resolve) => setTimeout(resolve, 1.1 * timeout));
  expect(probes).toBe(0);

  const began = performance.now();
  const { held, waiting } = await queued(one, two);
  await vi.waitFor(() => expect(probes).toBeGreaterThan(1), 10_000);
  expect(performance.now() - began).toBeGreaterThan(1.9 * timeout);
  held.release();
  (await waiting).release();
  expect(two.events).toEqual([]);
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
