import type { Lock } from '@headgate/server-client';
import { freePort, startProxy } from '@headgate/test-servers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { useServer } from './use-server.ts';

const semaphores = { A: 1, B: { max: 3, level: 1 }, C: { max: 1, level: 2 }, '/%& ü': 1 };
const service = useServer(semaphores);
const { connect, acquired, pending, peers } = service;

/** A client that reaches the service through a proxy. */
async function connectProxied(leaseDuration?: number) {
  const proxy = await startProxy({ port: service.port });
  onTestFinished(() => proxy.stop());
  const client = connect({ url: `http://127.0.0.1:${proxy.port}`, leaseDuration });
  return { client, proxy };
}

/** Requests a lock; resolves when the request is queued. */
async function queued(semaphore: string, wait: () => Promise<Lock>): Promise<Promise<Lock>[]> {
  const before = await pending(semaphore);
  const lock = wait();
  lock.catch(() => {});
  await vi.waitFor(async () => expect(await pending(semaphore)).toBeGreaterThan(before), 10_000);
  // Wrapped in an array, so that awaiting this function does not await the lock.
  return [lock];
}

describe('a lock', () => {
  test('holds its count until it is released', async () => {
    const client = connect();
    const lock = await client.lock('B', { count: 2 });
    expect(lock).toMatchObject({ semaphore: 'B', count: 2 });
    expect(lock.signal.aborted).toBe(false);
    expect(await acquired('B')).toBe(2);
    await lock.release();
    await lock.release();
    expect(await acquired('B')).toBe(0);
    expect(await peers()).toBe(0);
  });

  test('ends with its scope', async () => {
    const client = connect();
    {
      await using lock = await client.lock('A');
      expect(lock.count).toBe(1);
      expect(await acquired('A')).toBe(1);
    }
    expect(await acquired('A')).toBe(0);
  });

  test('is granted in order of arrival, also across clients', async () => {
    const [one, two] = [connect(), connect()];
    const held = await one.lock('A');
    const [second] = await queued('A', () => two.lock('A'));
    const [third] = await queued('A', () => one.lock('A', { timeout: 20_000 }));
    const order: number[] = [];
    second?.then(() => order.push(2));
    third?.then(() => order.push(3));
    await held.release();
    await (await second)?.release();
    await (await third)?.release();
    expect(order).toEqual([2, 3]);
    expect(await peers()).toBe(0);
  });

  test('may be on a semaphore of any name', async () => {
    await using lock = await connect().lock('/%& ü');
    expect(lock.semaphore).toBe('/%& ü');
    expect(await acquired('/%& ü')).toBe(1);
  });

  test('is kept alive by heartbeats while it is held', async () => {
    const client = connect({ leaseDuration: 3_000 });
    await using lock = await client.lock('A');
    await expect(connect().lock('A', { timeout: 3_500 })).rejects.toMatchObject({
      code: 'ERR_HEADGATE_REJECTED',
    });
    expect(lock.signal.aborted).toBe(false);
    expect(await acquired('A')).toBe(1);
  });
});

describe('lock()', () => {
  test('rejects on timeout and withdraws its request', async () => {
    await using held = await connect().lock('A');
    expect(held.count).toBe(1);
    for (const timeout of [0, 50]) {
      await expect(connect().lock('A', { timeout })).rejects.toMatchObject({
        name: 'RejectedError',
        rejection: { reason: 'timeout', limitName: 'A' },
      });
    }
    await vi.waitFor(async () => expect(await peers()).toBe(1), 10_000);
    expect(await pending('A')).toBe(0);
  });

  test('rejects with the reason of its signal and withdraws its request', async () => {
    const held = await connect().lock('A');
    const abort = new AbortController();
    const waiting = connect().lock('A', { signal: abort.signal });
    waiting.catch(() => {});
    await vi.waitFor(async () => expect(await pending('A')).toBe(1), 10_000);
    const reason = new Error('no longer wanted');
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await vi.waitFor(async () => expect(await peers()).toBe(1), 10_000);
    await held.release();
    expect(await acquired('A')).toBe(0);
    await expect(connect().lock('A', { signal: abort.signal })).rejects.toBe(reason);
    expect(await peers()).toBe(0);
  });

  test.each([
    ['nowhere', {}, 'answered 400: Unknown semaphore'],
    ['B', { count: 4 }, 'asks for count 4 yet full count is only 3'],
  ])('is refused at once if it can never be granted: %s', async (semaphore, options, message) => {
    const client = connect();
    await expect(client.lock(semaphore, options)).rejects.toMatchObject({
      name: 'StoreError',
      code: 'ERR_HEADGATE_STORE_REFUSED',
      message: expect.stringContaining(message),
    });
    await client.close();
    expect(await peers()).toBe(0);
  });

  test('is rejected when its client is closed, and not granted later', async () => {
    const held = await connect().lock('A');
    const client = connect();
    const [waiting] = await queued('A', () => client.lock('A'));
    const rejected = expect(waiting).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_DOWN',
      message: 'the client was closed',
    });
    await client.close();
    await rejected;
    expect(await pending('A')).toBe(0);
    await held.release();
    await using another = await connect().lock('A', { timeout: 2_000 });
    expect(another.count).toBe(1);
  });

  test('reports an unreachable service before its timeout', async () => {
    // The port of a closed server may be given to one of another test.
    const client = connect({ url: `http://127.0.0.1:${await freePort()}` });
    await expect(client.lock('A', { timeout: 300 })).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_DOWN',
      cause: { code: 'ECONNREFUSED' },
    });
  });
});

describe('an owner of several locks', () => {
  test('acquires them in descending levels and releases each separately', async () => {
    const client = connect();
    const outer = await client.lock('C');
    const inner = await outer.lock('B', { count: 2 });
    expect(await peers()).toBe(1);
    await expect(inner.lock('C')).rejects.toMatchObject({ option: 'semaphore' });
    const innermost = await inner.lock('A');
    await inner.release();
    expect([await acquired('C'), await acquired('B'), await acquired('A')]).toEqual([1, 0, 1]);
    await outer.release();
    expect([await acquired('C'), await acquired('A')]).toEqual([0, 1]);
    await innermost.release();
    expect(await peers()).toBe(0);
  });

  test('is refused a lock that could deadlock, and keeps the others', async () => {
    const low = await connect().lock('B');
    await expect(low.lock('C')).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_REFUSED',
      message: expect.stringContaining('Lock hierachy violation.'),
    });
    const left = async () => expect([await acquired('B'), await pending('C')]).toEqual([1, 0]);
    await vi.waitFor(left, 10_000);
    await low.release();
    expect(await peers()).toBe(0);
  });

  test('can wait for only one lock at a time', async () => {
    const held = await connect().lock('A');
    const outer = await connect().lock('C');
    const waiting = outer.lock('A');
    await expect(outer.lock('B')).rejects.toMatchObject({ code: 'ERR_HEADGATE_WAITING' });
    await vi.waitFor(async () => expect(await pending('A')).toBe(1), 10_000);
    // The request stays queued.
    await outer.release();
    expect(await pending('A')).toBe(1);
    await held.release();
    await (await waiting).release();
    expect(await peers()).toBe(0);
  });
});

describe('a service that loses its state', () => {
  test('is restored with the held locks by their owners', async () => {
    const client = connect({ leaseDuration: 3_000 });
    const outer = await client.lock('C');
    const inner = await outer.lock('B', { count: 2 });
    await service.restart();
    await vi.waitFor(async () => expect(await acquired('B')).toBe(2), 10_000);
    expect([await acquired('C'), await peers()]).toEqual([1, 1]);
    expect(inner.signal.aborted).toBe(false);
    await inner.release();
    await outer.release();
    expect(await peers()).toBe(0);
  });

  test('queues pending locks again', async () => {
    const held = await connect({ leaseDuration: 3_000 }).lock('A');
    const { client, proxy } = await connectProxied();
    const [waiting] = await queued('A', () => client.lock('A'));
    // The waiter returns after the holder, so that it has to wait again.
    proxy.hold(true);
    await service.restart();
    await vi.waitFor(async () => expect(await acquired('A')).toBe(1), 10_000);
    proxy.hold(false);
    proxy.cut();
    await vi.waitFor(async () => expect(await pending('A')).toBe(1), 10_000);
    await held.release();
    await (await waiting)?.release();
    expect(await peers()).toBe(0);
  });
});

describe('a service that cannot be reached', () => {
  test('grants the lock to another owner only after the previous one was notified, which has lost the lock', async () => {
    const { client, proxy } = await connectProxied(600);
    const lock = await client.lock('A');
    const [waiting] = await queued('A', () => connect().lock('A'));
    proxy.hold(true);
    const lost = new Promise((resolve) => lock.signal.addEventListener('abort', resolve));
    const first = await Promise.race([lost.then(() => 'lost'), waiting?.then(() => 'given')]);
    expect(first).toBe('lost');
    expect(lock.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    const next = await waiting;
    proxy.hold(false);
    await lock.release();
    expect(await acquired('A')).toBe(1);
    expect(await service.figure('throttle_max', 'A')).toBe(1);
    await next?.release();
  });
});
