import { createGate, type Gate } from '@headgate/core';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../src/memory-store/index.ts';
import { lease, outcome, settled, timeout, World } from './world.ts';

function gateOf(world: World, options: { queueLimit?: number; queueTimeout?: number } = {}): Gate {
  const gate = createGate({
    limits: [
      { name: 'user', limit: 1, perKey: true },
      { name: 'all', limit: 2, store: world.connect() },
    ],
    queueTimeout: 60_000,
    clock: world.clock,
    ...options,
  });
  gate.observe({ store: () => {} });
  return gate;
}

/** The first limit has a store. Bob holds its permit, and is queued at a local limit whose permit Ann holds. */
async function queueAtSecondLimit({ queueLimit = 9 } = {}) {
  const world = new World();
  const store = world.connect();
  const gate = createGate({
    limits: [
      { name: 'user', limit: 1, perKey: true, store },
      { name: 'here', limit: 1 },
    ],
    queueLimit,
    queueTimeout: 60_000,
    clock: world.clock,
  });
  gate.observe({ store: () => {} });
  const held = await gate.acquire({ keys: { user: 'ann' } });
  const waiting = outcome(gate.acquire({ keys: { user: 'bob' } }));
  await settled();
  expect(gate.queued).toBe(1);
  return { world, store, gate, held, waiting };
}

describe('a gate of local and distributed limits', () => {
  test('counts each user in this process and all requests over all processes', async () => {
    const world = new World();
    const [a, b] = [gateOf(world, { queueLimit: 9 }), gateOf(world, { queueLimit: 9 })];
    const first = outcome(a.acquire({ keys: { user: 'ann' } }));
    const again = outcome(a.acquire({ keys: { user: 'ann' } }));
    const elsewhere = outcome(b.acquire({ keys: { user: 'ann' } }));
    await settled();
    const third = outcome(b.acquire({ keys: { user: 'bob' } }));
    await settled();
    expect([first, again, elsewhere, third].map(({ permit }) => permit !== undefined)).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(first.permit?.fencing).toBeDefined();
    expect([a.queued, b.queued]).toEqual([1, 1]);
    first.permit?.release();
    await settled();
    expect(third.permit).toBeDefined();
    for (const { permit } of [elsewhere, third]) permit?.release();
    await settled();
    again.permit?.release();
    await settled();
    expect(await world.stats('all')).toMatchObject({ inflight: 0, queued: 0 });
    expect([a.holders, b.holders, a.queued, b.queued]).toEqual([0, 0, 0, 0]);
  });

  test('queues no request if queueLimit is 0, and calls the store once before it rejects', async () => {
    const world = new World();
    const store = world.connect();
    const gate = createGate({
      limits: [
        { name: 'user', limit: 9, perKey: true },
        { name: 'all', limit: 1, store },
      ],
      queueLimit: 0,
      clock: world.clock,
    });
    const held = await gate.acquire({ keys: { user: 'ann' } });
    await expect(gate.acquire({ keys: { user: 'bob' } })).rejects.toMatchObject({
      rejection: { reason: 'full', limitName: 'all' },
    });
    expect(store.calls.flat()).toEqual(['acquire', 'acquire']);
    held.release();
    await settled();
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0 });
  });

  test('applies one deadline to all limits together', async () => {
    const world = new World();
    const gate = gateOf(world, { queueLimit: 9, queueTimeout: 1000 });
    const held = [
      await gate.acquire({ keys: { user: 'ann' } }),
      await gate.acquire({ keys: { user: 'bob' } }),
    ];
    const late = outcome(gate.acquire({ keys: { user: 'cid' } }));
    await world.advance(1000);
    expect(late.error).toMatchObject({ rejection: { reason: 'timeout', limitName: 'all' } });
    expect(await world.stats('all')).toMatchObject({ inflight: 2, queued: 0 });
    for (const permit of held) permit.release();
  });

  test('keeps no permit of a request that is withdrawn during a call to the store', async () => {
    const world = new World();
    const gate = gateOf(world, { queueLimit: 9 });
    const away = new AbortController();
    const gone = outcome(gate.acquire({ keys: { user: 'ann' }, signal: away.signal }));
    away.abort('left');
    await settled();
    expect(gone.error).toBe('left');
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, withdrawn: 1 });
    expect(await world.stats('all')).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('rejects a request queued at a later limit when its lease is lost', async () => {
    const { world, store, gate, held, waiting } = await queueAtSecondLimit();
    store.trouble = 'silent';
    await world.advance(lease);
    expect(waiting.error).toMatchObject({ rejection: { reason: 'store' } });
    expect(held.signal.aborted).toBe(true);
    store.trouble = undefined;
    held.release();
    await world.advance(lease);
    expect(await world.stats('user', 'bob')).toMatchObject({ inflight: 0, queued: 0 });
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0 });
  });

  test('aborts the permit, without a rejection, if a lease is lost after the admission', async () => {
    const { world, store, gate, held, waiting } = await queueAtSecondLimit();
    held.release();
    await settled();
    expect(waiting.permit?.signal.aborted).toBe(false);
    store.trouble = 'silent';
    await world.advance(lease);
    expect(waiting.permit?.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    expect(gate.stats()).toMatchObject({ holders: 1, rejected: { store: 0 } });
    waiting.permit?.release();
    expect(gate.holders).toBe(0);
  });

  test('rejects a request if the queue of the next limit is full, and releases its lease', async () => {
    const { world, gate, held, waiting } = await queueAtSecondLimit({ queueLimit: 1 });
    const third = outcome(gate.acquire({ keys: { user: 'cid' } }));
    await settled();
    expect(third.error).toMatchObject({ rejection: { reason: 'full' } });
    expect(await world.stats('user', 'cid')).toMatchObject({ inflight: 0, queued: 0 });
    held.release();
    await settled();
    waiting.permit?.release();
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, admitted: 2 });
  });

  test('rejects with the reason store while the store is unavailable', async () => {
    const world = new World();
    const store = world.connect();
    const gate = createGate({
      limits: [
        { name: 'user', limit: 1, perKey: true },
        { name: 'all', limit: 1, store },
      ],
      clock: world.clock,
    });
    gate.observe({ store: () => {} });
    store.trouble = 'silent';
    const refused = outcome(gate.acquire({ keys: { user: 'ann' } }));
    await world.advance(timeout);
    expect(refused.error).toMatchObject({ name: 'StoreError', rejection: { reason: 'store' } });
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0, rejected: { store: 1 } });
  });

  test('a gate of one distributed limit behaves like that limit', async () => {
    const world = new World();
    const make = () =>
      createGate({
        limits: [{ name: 'all', limit: 1, store: world.connect() }],
        queueLimit: 1,
        clock: world.clock,
      });
    const [a, b] = [make(), make()];
    const held = await a.acquire();
    const waiting = outcome(a.acquire());
    await settled();
    await expect(b.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    held.release();
    await settled();
    expect(waiting.permit).toBeDefined();
    expect(a.stats()).toMatchObject({ holders: 1, limits: [{ distributed: { up: true } }] });
    const closed = a.close();
    waiting.permit?.release();
    expect(await closed).toBe(0);
  });
});

test('close() of a gate resolves when its stores have confirmed the last release', async () => {
  const store = memoryStore();
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const send = store.send.bind(store);
  store.send = async (ops, timeout) => {
    if (ops.some(({ verb }) => verb === 'release')) await arrived;
    return send(ops, timeout);
  };
  const limits = [
    { name: 'process', limit: 5 },
    { name: 'all', limit: 5, store },
  ];
  const gate = createGate({ limits, queueLimit: 9 });
  const permit = await gate.acquire();
  permit.release();
  let isClosed = false;
  const closing = gate.close().then(() => {
    isClosed = true;
  });
  await settled();
  expect(isClosed).toBe(false);
  arrive();
  await closing;
});
