import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import { createLimiter } from '@headgate/core';
import { serverStore } from '@headgate/server-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startFake } from './fake-service.ts';
import { useLimits } from './use-limits.ts';

const limits = useLimits();
const { connect, expectUsage, limiter } = limits;

test('a limit needs no configuration at the service, and may be changed', async () => {
  const limit = limiter('any', { limit: 1 });
  await limit.acquire();
  const waiting = limit.acquire();
  await expectUsage('any', [1, 1]);
  limit.setLimit(2);
  await waiting;
  await expectUsage('any', [2, 0]);
});

test('each key has its limit, and permits have increasing tokens', async () => {
  const limit = limiter('tenants', { perKey: true });
  const [one, other] = await Promise.all([
    limit.acquire({ key: 'one' }),
    limit.acquire({ key: 'other' }),
  ]);
  const waiting = limit.acquire({ key: 'one' });
  one.release();
  const next = await waiting;
  expect(next.fencing).toBeGreaterThan(one.fencing as bigint);
  for (const permit of [other, next]) permit.release();
});

test('a process uses four connections, for any number of waiters and limits', async () => {
  // The timeout is long, because a busy machine is no outage.
  const store = connect({ timeout: 20_000 });
  const limiters = ['a', 'b', 'c', 'd', 'e'].map((name) => limiter(name, {}, store));
  const held = await Promise.all(limiters.map((each) => each.acquire()));
  const waiting = limiters.flatMap((each) => Array.from({ length: 100 }, () => each.acquire()));
  await vi.waitFor(
    () => expect(limiters.map(({ queued }) => queued)).toEqual(Array(5).fill(100)),
    20_000,
  );
  let max = 0;
  const record = () => {
    max = Math.max(max, limits.proxy.connections);
  };
  const timer = setInterval(record, 1);
  for (const permit of held) permit.release();
  await Promise.all(waiting.map(async (permit) => (await permit).release()));
  clearInterval(timer);
  expect(max).toBeLessThanOrEqual(4);
});

test('more operations than a request carries are sent in several, in their order', async () => {
  const served = vi.spyOn(limits.service.server.app, 'fetch');
  const store = connect();
  const name = 'x'.repeat(4_000);
  const limit = createLimiter({ name, limit: 50, queueLimit: 300, queueTimeout: 20_000, store });
  const order: number[] = [];
  const callers = Array.from({ length: 200 }, async (_, at) => {
    const permit = await limit.acquire();
    order.push(at);
    permit.release();
  });
  await Promise.all(callers);
  expect(order).toEqual(callers.map((_, at) => at));
  const sizes = served.mock.calls.flatMap(([{ headers }]) => headers.get('content-length') ?? []);
  expect(Math.max(...sizes.map(Number))).toBeLessThan(300_000);
  served.mockRestore();
});

test('a waiter is granted although the stream was cut while it waited', async () => {
  const store = connect({ timeout: 20_000 });
  const limit = limiter('one', {}, store);
  const held = await limiter('one').acquire();
  const waiting = limit.acquire();
  await expectUsage('one', [1, 1]);
  limits.proxy.cut();
  held.release();
  (await waiting).release();
});

test('a process that has released everything closes its stream', async () => {
  const served = vi.spyOn(limits.service.server.app, 'fetch');
  const limit = limiter('one', {}, connect({ timeout: 300, lease: 60_000 }));
  (await limit.acquire()).release();
  const streams = () =>
    served.mock.calls.flatMap(([{ url, signal }]) =>
      url.includes('/limits/messages') ? signal.aborted : [],
    );
  await vi.waitFor(() => expect(streams()).toEqual([true]), 5_000);
  served.mockRestore();
});

test.each([
  [404, 'Not found', 'answered 404: Not found'],
  [401, 'Unauthorized', 'answered 401: Unauthorized'],
])(
  'a service that answers %i refuses the request, and its text is in the error',
  async (status, text, message) => {
    const fake = await startFake(() => [status, text]);
    const store = serverStore({ url: fake.url });
    onTestFinished(() => store.close());
    const limit = createLimiter({ name: 'A', limit: 1, store });
    limit.observe({ store: () => {} });
    await expect(limit.acquire()).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_REFUSED',
      message: expect.stringContaining(message),
    });
    await expect(store.stats({ name: 'A' })).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_REFUSED',
    });
  },
);

test('an answer that is no JSON, or too short, rejects the callers and leaves nothing pending', async () => {
  const texts = ['<html>', '[]', '{}', '[null]', '[{"state":"odd"}]'];
  const fake = await startFake(({ path }) =>
    path === '/limits' ? [200, texts.shift() ?? '[]'] : undefined,
  );
  const store = serverStore({ url: fake.url });
  onTestFinished(() => store.close());
  const limit = createLimiter({ name: 'A', limit: 1, store });
  limit.observe({ store: () => {} });
  for (const _ of [...texts]) {
    await expect(limit.acquire()).rejects.toMatchObject({ code: /^ERR_HEADGATE_STORE/ });
  }
  expect(limit.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('a service that resets each connection receives few calls until the timeout has passed', async () => {
  let count = 0;
  const reset = createServer((socket) => {
    count++;
    socket.resetAndDestroy();
  }).listen(0, '127.0.0.1');
  await once(reset, 'listening');
  onTestFinished(() => void reset.close());
  const { port } = reset.address() as AddressInfo;
  const store = serverStore({ url: `http://127.0.0.1:${port}`, timeout: 600 });
  onTestFinished(() => store.close());
  const limit = createLimiter({ name: 'A', limit: 1, store });
  limit.observe({ store: () => {} });
  const since = performance.now();
  await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_DOWN' });
  expect(performance.now() - since).toBeGreaterThan(500);
  // Of the operations and of the stream.
  expect(count).toBeGreaterThan(4);
  expect(count).toBeLessThan(40);
});

test('a call that is not answered in time gives its connection up', async () => {
  const silent = createHttpServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const store = serverStore({
    url: `http://127.0.0.1:${port}`,
    leaseDuration: 60_000,
    timeout: 100,
  });
  onTestFinished(() => store.close());
  const limit = createLimiter({ name: 'A', limit: 1, store });
  limit.observe({ store: () => {} });
  await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
  await limit.close();
  const count = promisify(silent.getConnections.bind(silent));
  // That of the stream.
  await vi.waitFor(async () => expect(await count()).toBeLessThanOrEqual(1), 5_000);
});

test('a stream of something else than messages is reported, and opened again', async () => {
  let opened = 0;
  const fake = await startFake(({ path }) => {
    if (path === '/limits/messages') return [200, ++opened % 2 ? '<html>\n' : 'null\n5\n'];
    return path === '/limits' ? [200, '[]'] : undefined;
  });
  const store = serverStore({ url: fake.url });
  onTestFinished(() => store.close());
  const limit = createLimiter({ name: 'A', limit: 1, store });
  limit.observe({ store: () => {} });
  await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_REFUSED' });
  const seen = () => ({ opened, muted: store.activity().muted });
  await vi.waitFor(async () => {
    await limit.acquire().catch(() => {});
    expect(seen()).toEqual({ opened: expect.any(Number), muted: true });
    expect(opened).toBeGreaterThan(2);
  }, 5_000);
});
