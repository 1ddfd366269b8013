import { describe, expect, it, test } from 'vitest';
import { lease, outcome, settled, timeout, World } from './world.ts';

const admitted = (outcomes: readonly ReturnType<typeof outcome>[]) =>
  outcomes.filter(({ permit }) => permit !== undefined).length;

/** Two processes with one limit. */
function pair(options: Parameters<World['limiter']>[0] = {}) {
  const world = new World();
  const common = { limit: 10, queueTimeout: 60_000, ...options };
  return { world, here: world.limiter(common), there: world.limiter(common) };
}

test('a pause of one process holds for all', async () => {
  const { world, here, there } = pair();
  here.pauseFor(1_000);
  await settled();
  const waiting = Array.from({ length: 20 }, (_, i) => outcome((i % 2 ? here : there).acquire()));
  await world.advance(990);
  expect([admitted(waiting), here.stats().pausedFor, there.stats().pausedFor]).toEqual([0, 10, 10]);
  await world.advance(60);
  expect([admitted(waiting), here.stats().pausedFor]).toEqual([10, undefined]);
  for (const { permit } of waiting) permit?.release();
  await settled();
  for (const { permit } of waiting) permit?.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('a process that pauses a limit hands no lease to its next waiter', async () => {
  const world = new World();
  const limiter = world.limiter({ limit: 2, queueTimeout: 60_000, handoff: 5 });
  const running = [await limiter.acquire(), await limiter.acquire()];
  const waiting = outcome(limiter.acquire());
  await settled();
  limiter.pauseFor(1_000);
  for (const permit of running) permit.release();
  await world.advance(900);
  expect(waiting.permit).toBeUndefined();
  await world.advance(200);
  expect(waiting.permit).toBeDefined();
});

test('each process rejects requests that would time out before the pause ends', async () => {
  const { world, here, there } = pair({ queueTimeout: 500 });
  here.pauseFor(5_000);
  await settled();
  const rejection = { reason: 'paused', retryAfter: 6 };
  for (const limiter of [here, there, there])
    await expect(limiter.acquire()).rejects.toMatchObject({ rejection });
  expect(there.stats()).toMatchObject({ queued: 0, rejected: { paused: 2 } });
  expect(await world.stats()).toMatchObject({ queued: 0 });
});

test('a request of another process is rejected at once even if the limit has no queue', async () => {
  const { here, there } = pair({ queueLimit: 0 });
  here.pauseFor(90_000);
  await settled();
  const rejection = { reason: 'paused' };
  await expect(there.acquire()).rejects.toMatchObject({ rejection });
});

test.each(['pauseFor(0)', 'resume()'])('another process ends a pause by %s', async (end) => {
  const { world, here, there } = pair();
  here.pauseFor(50_000);
  await settled();
  const waiting = outcome(here.acquire());
  await world.advance(100);
  expect(waiting.permit).toBeUndefined();
  if (end === 'resume()') there.resume();
  else there.pauseFor(0);
  await settled();
  expect(waiting.permit).toBeDefined();
  expect([here.stats().pausedFor, there.stats().pausedFor]).toEqual([undefined, undefined]);
});

test('a process that rejects all requests in a pause notices within a second that it was ended', async () => {
  const { world, here, there } = pair({ queueTimeout: 500 });
  here.pauseFor(50_000);
  await settled();
  there.resume();
  await settled();
  await expect(here.acquire()).rejects.toMatchObject({ rejection: { reason: 'paused' } });
  await world.advance(1_000);
  await here.acquire().catch(() => {});
  await settled();
  (await here.acquire()).release();
});

test('a pause holds for a limit that is raised meanwhile, here or in another process', async () => {
  const { world, here, there } = pair();
  await there.acquire().then((permit) => permit.release());
  there.setLimit(20);
  await settled();
  here.pauseFor(1_000);
  await settled();
  const waiting = Array.from({ length: 30 }, () => outcome(there.acquire()));
  await world.advance(100);
  expect([here.limit, admitted(waiting)]).toEqual([20, 0]);
  here.setLimit(30);
  await world.advance(100);
  expect(admitted(waiting)).toBe(0);
  await world.advance(1_000);
  expect(admitted(waiting)).toBe(30);
});

test('a pause survives the process that paused, and an outage', async () => {
  const world = new World();
  const options = { limit: 2, queueTimeout: 120_000, onStoreError: 'local' } as const;
  const dying = world.connect();
  const store = world.connect();
  const there = world.limiter({ ...options, store });
  world.limiter({ ...options, store: dying }).pauseFor(60_000);
  await settled();
  dying.trouble = 'silent';
  const waiting = outcome(there.acquire());
  await settled();
  store.trouble = 'silent';
  await world.advance(2 * lease + timeout);
  expect(waiting.permit).toBeUndefined();
  store.trouble = undefined;
  await world.advance(lease);
  expect(waiting.permit).toBeUndefined();
  await world.advance(60_000);
  expect(waiting.permit).toBeDefined();
});

test('a pause holds in this process while the store is unavailable', async () => {
  const world = new World();
  const store = world.connect();
  const options = { limit: 2, queueTimeout: 60_000, onStoreError: 'local' } as const;
  const limiter = world.limiter({ ...options, store });
  store.trouble = 'refused';
  await limiter.acquire().then((permit) => permit.release());
  limiter.pauseFor(1_000);
  const waiting = outcome(limiter.acquire());
  await world.advance(990);
  expect(waiting.permit).toBeUndefined();
  await world.advance(20);
  expect(waiting.permit).toBeDefined();
});

test('a pause of one key does not touch another, and resume() ends it for all processes', async () => {
  const { world, here, there } = pair({ perKey: true, limit: 1 });
  here.pauseFor(50_000, 'a');
  await settled();
  const [one, other] = [there.acquire({ key: 'a' }), there.acquire({ key: 'b' })].map(outcome);
  await world.advance(100);
  expect([one?.permit, other?.permit !== undefined]).toEqual([undefined, true]);
  expect(there.stats().pausedFor).toBeGreaterThan(49_000);
  here.resume();
  await settled();
  await world.advance(lease);
  expect(one?.permit).toBeDefined();
});

test('a malformed pause has no effect', async () => {
  const { here } = pair();
  for (const pause of ['0', 'soon', '-1', -1, Number.NaN]) here.pauseFor(pause);
  await here.acquire();
  expect(here.inflight).toBe(1);
});

test('a store that answers nonsense does not pause the limit forever', async () => {
  const world = new World();
  const store = world.connect();
  const limiter = world.limiter({ store, limit: 2, queueTimeout: 60_000 });
  const send = store.send.bind(store);
  let pausedFor: unknown;
  store.send = async (ops) =>
    (await send(ops)).map((answer) => ({ ...answer, pausedFor }) as typeof answer);
  for (const value of ['soon', -5, Number.NaN, null, {}]) {
    pausedFor = value;
    (await limiter.acquire()).release();
    expect(limiter.stats().pausedFor).toBeUndefined();
  }
  pausedFor = 1e15;
  await limiter.acquire();
  expect(limiter.stats().pausedFor).toBe(3_600_000);
});

test('a service that refuses all requests of one process pauses a distributed limit for all', async () => {
  const { here, there } = pair();
  for (let count = 0; count < 10; count++)
    await here.run(() => {
      here.refused('30');
    });
  await settled();
  await there.acquire({ queueTimeout: 1 }).catch(() => {});
  expect([here, there].map((limiter) => limiter.stats().pausedFor)).toEqual([30_000, 30_000]);
});

describe('without the store', () => {
  /** A limit of 2 whose store does not respond, two permits, and waiters. */
  async function outage(waiters: number) {
    const world = new World();
    const store = world.connect();
    const options = { limit: 2, queueTimeout: 600_000, onStoreError: 'local', store } as const;
    const limiter = world.limiter(options);
    (await limiter.acquire()).release();
    store.trouble = 'silent';
    const requests = Array.from({ length: 2 + waiters }, () => outcome(limiter.acquire()));
    await world.advance(2 * lease + timeout);
    expect(admitted(requests)).toBe(2);
    return { world, store, limiter, requests };
  }

  it('a pause holds the waiters, and its end admits them', async () => {
    const { world, limiter, requests } = await outage(4);
    limiter.pauseFor(100_000);
    for (const { permit } of requests) permit?.release();
    await world.advance(1_000);
    expect([admitted(requests), limiter.stats().pausedFor]).toEqual([2, 99_000]);
    limiter.resume();
    await world.advance(1);
    expect([admitted(requests), limiter.stats().pausedFor]).toEqual([4, undefined]);
  });

  it.each([
    ['new request', 'refused'],
    ['request that waits for the store', 'silent'],
  ] as const)('a pause also holds a %s that the policy admits', async (_, trouble) => {
    const world = new World();
    const store = world.connect();
    const options = {
      perKey: true,
      limit: 2,
      queueTimeout: 60_000,
      onStoreError: 'admit',
    } as const;
    const limiter = world.limiter({ ...options, store });
    const before = outcome(limiter.acquire({ key: 'a' }));
    await settled();
    store.trouble = trouble;
    if (trouble === 'refused') await limiter.acquire({ key: 'a' });
    limiter.pauseFor(20_000, 'a');
    const held = Array.from({ length: 5 }, () => outcome(limiter.acquire({ key: 'a' })));
    const other = outcome(limiter.acquire({ key: 'b' }));
    await world.advance(19_900);
    expect([admitted(held), admitted([before, other])]).toEqual([0, 2]);
    await world.advance(200);
    expect(admitted(held)).toBe(5);
  });

  it('a pause is declared once the store is back', async () => {
    const { world, store, limiter } = await outage(0);
    limiter.pauseFor(100_000);
    store.trouble = undefined;
    await world.advance(2 * lease);
    const other = world.limiter({ limit: 2, queueTimeout: 60_000 });
    await expect(other.acquire()).rejects.toMatchObject({ rejection: { reason: 'paused' } });
  });

  it('an end of a pause is declared once the store is back', async () => {
    const world = new World();
    const store = world.connect();
    const limiter = world.limiter({ limit: 2, queueTimeout: 60_000, store });
    limiter.pauseFor(100_000);
    await settled();
    store.trouble = 'silent';
    limiter.pauseFor(0);
    await world.advance(timeout);
    store.trouble = undefined;
    await world.advance(2 * lease);
    const other = outcome(world.limiter({ limit: 2, queueTimeout: 60_000 }).acquire());
    await settled();
    expect(other.permit).toBeDefined();
  });
});

it('clients that are rejected after the early end of a pause are not told of it', async () => {
  const { here } = pair({ limit: 1, queueLimit: 0 });
  here.pauseFor(100_000);
  await settled();
  const retryAfter = async () =>
    (await here.acquire().catch((error) => error)).rejection.retryAfter;
  for (let count = 0; count < 5; count++) expect(await retryAfter()).toBeGreaterThan(90);
  here.resume();
  await settled();
  await here.acquire();
  expect(await retryAfter()).toBeLessThan(5);
});
