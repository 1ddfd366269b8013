import {
  createLimiter,
  type Limiter,
  type Permit,
  type SharedLimiterOptions,
} from '@headgate/core';
import { createServer, type Server } from '@headgate/server';
import { type FaultyProxy, startProxy } from '@headgate/test-servers';
import { throttleStore } from '@headgate/throttle';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

type Options = Partial<SharedLimiterOptions>;

const semaphores = { one: 1, two: 2, three: 3, a: 1, b: 1, c: 1, d: 1, e: 1 };
let server: Server;
let proxy: FaultyProxy;
let port: number;

async function start(at = 0): Promise<void> {
  server = createServer({ semaphores });
  const { url } = await server.listen({ port: at });
  port = Number(new URL(url).port);
}

beforeEach(async () => {
  await start();
  proxy = await startProxy({ port });
});
afterEach(async () => {
  await proxy.stop();
  await server.close();
});

// So long that nothing is renewed within a test.
function connect({ lease = 60_000, timeout = 3_000 } = {}) {
  const store = throttleStore({ url: `http://127.0.0.1:${proxy.port}`, lease, timeout });
  onTestFinished(() => store.close());
  return store;
}

function limiter(name: keyof typeof semaphores, options: Options = {}, store = connect()): Limiter {
  const usual = { limit: semaphores[name], queueLimit: 1_000, queueTimeout: 20_000 };
  return createLimiter({ name, ...usual, store, ...options } as SharedLimiterOptions);
}

const refused = (message: string) =>
  expect.objectContaining({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: expect.stringContaining(message),
  });

async function ask(path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
}

async function stood(name: string): Promise<[inflight: number, queued: number]> {
  const { inflight, queued } = await connect().stats({ name });
  return [inflight, queued];
}

describe('a limit', () => {
  test('that is another at the service is refused, naming both', async () => {
    const wrong = limiter('two', { limit: 5 });
    const message = 'semaphore "two" has 2 at the service, but the limit "two" is 5 here';
    for (let turn = 0; turn < 3; turn++) {
      await expect(wrong.acquire()).rejects.toEqual(refused(message));
      await vi.waitFor(async () => expect(JSON.parse(await ask('/peers/'))).toEqual([]));
    }
    expect(wrong.limit).toBe(5);
    expect(await stood('two')).toEqual([0, 0]);
    server.configure({ ...semaphores, two: 5 });
    (await wrong.acquire()).release();
  });

  test('that the service does not have is refused, saying what to configure', async () => {
    const unknown = createLimiter({ name: 'lacking', limit: 7, store: connect() });
    const message = 'no semaphore "lacking": configure it with 7';
    await expect(unknown.acquire()).rejects.toEqual(refused(message));
    server.configure({ ...semaphores, lacking: 7 });
    (await unknown.acquire()).release();
  });

  test('that changes at the service applies here, and the app is told', async () => {
    const conflict = vi.fn();
    const changing = limiter('two', { observer: { conflict } });
    await changing.acquire();
    server.configure({ ...semaphores, two: 3 });
    await vi.waitFor(
      async () => {
        (await changing.acquire()).release();
        expect(changing.limit).toBe(3);
      },
      { timeout: 10_000, interval: 100 },
    );
    expect(conflict).toHaveBeenCalledWith({ name: 'two', declared: 2, limit: 3 });
    await Promise.all([changing.acquire(), changing.acquire()]);
    expect((await stood('two'))[0]).toBe(3);
  });

  test.each([
    ['perKey', { perKey: true }],
    ['reserve', { reserve: 1 }],
  ])('with %s is refused', (option, options) => {
    expect(() => limiter('two', options)).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }),
    );
  });

  test('cannot be set, nor the weight of a permit', async () => {
    const fixed = limiter('two');
    expect(() => fixed.setLimit(1)).toThrow(expect.objectContaining({ option: 'limit' }));
    const permit = await fixed.acquire();
    expect(permit.fencing).toBeUndefined();
    permit.adjust(1);
    expect(() => permit.adjust(2)).toThrow(expect.objectContaining({ option: 'weight' }));
    expect(permit.weight).toBe(1);
    permit.release();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([0, 0]));
  });

  test('keeps to queueLimit in each process', async () => {
    const [mine, others] = [limiter('one', { queueLimit: 1 }), limiter('one', { queueLimit: 1 })];
    const held = await mine.acquire();
    const waiting = [mine.acquire(), others.acquire()];
    await vi.waitFor(async () => expect(await stood('one')).toEqual([1, 2]));
    await expect(mine.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    held.release();
    for (const permit of waiting) (await permit).release();
  });
});

describe('the line', () => {
  test('is served by arrival over processes, though nobody renews', async () => {
    const stores = [connect(), connect()];
    const [mine, others] = stores.map((store) => limiter('one', {}, store)) as [Limiter, Limiter];
    let last = await mine.acquire();
    const order: number[] = [];
    const waiting: Promise<Permit>[] = [];
    for (let at = 0; at < 8; at++) {
      const permit = (at % 3 === 0 ? others : mine).acquire();
      permit.then(() => order.push(at));
      waiting.push(permit);
      await vi.waitFor(async () => expect(await stood('one')).toEqual([1, at + 1]));
    }
    for (const next of waiting) {
      last.release();
      last = await next;
    }
    last.release();
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('takes three connections of a process, however many wait for however many limits', async () => {
    // A crowd on a busy machine is no outage.
    const store = connect({ timeout: 20_000 });
    const names = ['a', 'b', 'c', 'd', 'e'] as const;
    const limiters = names.map((name) => limiter(name, {}, store));
    const held = await Promise.all(limiters.map((each) => each.acquire()));
    const waiting = limiters.flatMap((each) => Array.from({ length: 100 }, () => each.acquire()));
    await vi.waitFor(
      () => expect(limiters.map(({ queued }) => queued)).toEqual(Array(5).fill(100)),
      20_000,
    );
    // One that has given way to another is being closed.
    await vi.waitFor(() => expect(proxy.connections).toBeLessThanOrEqual(3));
    let most = 0;
    const look = () => {
      most = Math.max(most, proxy.connections);
    };
    const timer = setInterval(look, 1);
    for (const permit of held) permit.release();
    await Promise.all(waiting.map(async (permit) => (await permit).release()));
    clearInterval(timer);
    expect(most).toBe(3);
  });

  test('is heard of though two others are asked for, and nothing happens there', async () => {
    const names = ['a', 'b', 'c'] as const;
    const elsewhere = connect();
    const held = await Promise.all(names.map((name) => limiter(name, {}, elsewhere).acquire()));
    const store = connect();
    // Less than a request is blocked for.
    const waiting = names.map((name) => limiter(name, { queueTimeout: 4_000 }, store).acquire());
    for (const each of waiting) each.catch(() => {});
    await vi.waitFor(async () => expect((await stood('c'))[1]).toBe(1));
    held[2]?.release();
    (await waiting[2])?.release();
    for (const permit of held) permit.release();
    for (const each of waiting) await each.then((permit) => permit.release());
  });

  test('is left by who gives up', async () => {
    const waits = limiter('one');
    const held = await waits.acquire();
    const abort = new AbortController();
    const aborted = waits.acquire({ signal: abort.signal });
    const late = waits.acquire({ queueTimeout: 200 });
    const patient = waits.acquire();
    aborted.catch(() => {});
    late.catch(() => {});
    await vi.waitFor(async () => expect(await stood('one')).toEqual([1, 3]));
    abort.abort();
    await expect(aborted).rejects.toBe(abort.signal.reason);
    await expect(late).rejects.toMatchObject({ rejection: { reason: 'timeout' } });
    await vi.waitFor(async () => expect(await stood('one')).toEqual([1, 1]));
    held.release();
    (await patient).release();
    await vi.waitFor(async () => expect(await stood('one')).toEqual([0, 0]));
  });

  test('is left for longer than the wait would have lasted', async () => {
    const hasty = limiter('one', { queueTimeout: 600 });
    const held = await hasty.acquire();
    const waiting = hasty.acquire();
    await vi.waitFor(async () => expect(await stood('one')).toEqual([1, 1]));
    held.release();
    const permit = await waiting;
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await stood('one')).toEqual([1, 0]);
    expect(permit.signal.aborted).toBe(false);
    permit.release();
  });

  test('is nobody who may not wait', async () => {
    const hasty = limiter('one', { queueLimit: 0 });
    const held = await hasty.acquire();
    for (let turn = 0; turn < 3; turn++) {
      await expect(hasty.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    }
    expect(await stood('one')).toEqual([1, 0]);
    held.release();
  });
});

describe('a service that loses its state', () => {
  test('is told at once by those who wait, and never lets in more than there is room for then', async () => {
    const lost = vi.fn();
    const limit = limiter('two', { observer: { lost } });
    const held = await Promise.all([limit.acquire(), limit.acquire()]);
    const waiting = Array.from({ length: 5 }, () => limit.acquire());
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 5]));
    await server.close();
    await start(port);
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 5]), 10_000);
    for (const permit of held) permit.release();
    for (const permit of waiting) (await permit).release();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([0, 0]));
    expect(lost).not.toHaveBeenCalled();
  });

  test('is told by who holds, with the next renewal', async () => {
    const limit = limiter('two', {}, connect({ lease: 600, timeout: 200 }));
    const held = await limit.acquire({ weight: 2 });
    await server.close();
    await start(port);
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 0]), 10_000);
    expect(held.signal.aborted).toBe(false);
    held.release();
  });

  test('is not told of what it would have let go of', async () => {
    const limit = limiter('one', {}, connect({ lease: 450, timeout: 150 }));
    const held = await limit.acquire();
    proxy.hold(true);
    await new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    expect(held.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    await server.close();
    await start(port);
    proxy.hold(false);
    proxy.cut();
    const next = await limiter('one').acquire();
    held.release();
    expect((await stood('one'))[0]).toBe(1);
    next.release();
  });
});

describe('a service that is away', () => {
  test('is waited for no longer than a call may take', async () => {
    const limit = limiter('one', {}, connect({ timeout: 100 }));
    (await limit.acquire()).release();
    proxy.hold(true);
    await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
    // From now on nobody waits for it.
    await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
    expect(limit.stats().shared?.up).toBe(false);
    proxy.hold(false);
    await vi.waitFor(async () => (await limit.acquire()).release(), 10_000);
  });

  test('is stood in for where the policy says so, and told when it is back', async () => {
    const limit = limiter('two', { onStoreError: 'local' }, connect({ timeout: 200 }));
    const held = await limit.acquire();
    await server.close();
    const local = await limit.acquire();
    const waiting = limit.acquire();
    await vi.waitFor(() => expect(limit.queued).toBe(1));
    await start(port);
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 1]), 10_000);
    held.release();
    (await waiting).release();
    local.release();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([0, 0]));
  });
});
