import { createGate } from '@headgate/core';
import { expect, test } from 'vitest';
import { type Answer, fullCapabilities, type Op } from '../src/index.ts';
import { lease, outcome, settled, TestStore, World } from './world.ts';

/** A store without any optional capability. */
class PoorStore extends TestStore {
  override readonly can = {
    fencing: false,
    queueLimit: false,
    setLimit: false,
    operate: false,
    keys: false,
    place: false,
    resize: false,
    recall: false,
    counts: false,
  };

  override send(ops: readonly Op[]): Promise<Answer[]> {
    const asked = ops.map((op) =>
      op.verb === 'declare' ? op : { ...op, lease: { ...op.lease, queueLimit: Infinity } },
    );
    return super.send(asked);
  }
}

class NoQueueLimit extends PoorStore {
  override readonly can = { ...fullCapabilities, queueLimit: false };
}

test.each([
  ['perKey', { perKey: true }, {}],
  ['reserve', {}, { reserve: 1 }],
])('%s is an error if the store does not support it', (option, options, saving) => {
  const world = new World();
  const make = () =>
    world.limiter({ store: world.connect(saving, PoorStore), limit: 2, ...options });
  expect(make).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }));
});

test('setLimit() throws if the store does not support it', () => {
  const world = new World();
  const limiter = world.limiter({ store: world.connect({}, PoorStore) });
  expect(() => limiter.setLimit(2)).toThrow(
    expect.objectContaining({
      code: 'ERR_HEADGATE_UNSUPPORTED',
      message: expect.stringContaining('its limit is configured in the store itself'),
    }),
  );
  expect(limiter.limit).toBe(1);
});

test('pausing, draining and shadow mode throw if the store does not support them', () => {
  const world = new World();
  const limiter = world.limiter({ store: world.connect({}, PoorStore) });
  expect(limiter.operations).toEqual([]);
  for (const operation of ['pause', 'drain', 'resume', 'shadow', 'enforce'] as const) {
    expect(() => limiter[operation]()).toThrow(
      expect.objectContaining({
        code: 'ERR_HEADGATE_UNSUPPORTED',
        message: `limiter "renders" does not support ${operation}: its limit is configured in the store itself`,
      }),
    );
  }
  expect([limiter.state, limiter.mode]).toEqual(['open', 'enforce']);
});

test('the error of an operation that no distributed limit supports says so', () => {
  const world = new World();
  const limiter = world.limiter({ store: world.connect({}, PoorStore) });
  for (const operation of ['freeze', 'unfreeze'] as const) {
    expect(() => limiter[operation]()).toThrow(
      `limiter "renders" does not support ${operation}: it supports no operations`,
    );
  }
});

test('each process enforces queueLimit for each key separately if the store does not', async () => {
  const world = new World();
  const store = world.connect({}, NoQueueLimit);
  const limiter = world.limiter({ store, perKey: true, queueLimit: 1 });
  const ask = (key: string) => outcome(limiter.acquire({ key }));
  const all = ['a', 'b', 'a', 'b', 'b'].map(ask);
  await settled();
  expect(all.map(({ error }) => error === undefined)).toEqual([true, true, true, true, false]);
  expect(all[4]?.error).toMatchObject({ rejection: { reason: 'full' } });
  const closed = limiter.close();
  for (const { permit } of all) permit?.release();
  await closed;
});

test('each process enforces queueLimit if the store does not', async () => {
  const world = new World();
  const limiter = world.limiter({ store: world.connect({}, PoorStore), queueLimit: 1 });
  const held = await limiter.acquire();
  const all = [outcome(limiter.acquire()), outcome(limiter.acquire())];
  await settled();
  expect(all[1]?.error).toMatchObject({ rejection: { reason: 'full' } });
  expect(limiter.queued).toBe(1);
  // A waiter that fills the queue remains queued when its lease is renewed.
  await world.advance(2 * lease);
  expect([all[0]?.error, limiter.queued]).toEqual([undefined, 1]);
  held.release();
  await settled();
  all[0]?.permit?.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('adjust() of a gate changes the weight at all limits, or at none if a store refuses', async () => {
  const world = new World();
  const store = world.connect({}, PoorStore);
  const limits = [
    { name: 'local', limit: 5 },
    { name: 'renders', limit: 5, store },
  ];
  const gate = createGate({ limits, clock: world.clock });
  const permit = await gate.acquire();
  expect(() => permit.adjust(3)).toThrow(expect.objectContaining({ option: 'weight' }));
  expect(permit.weight).toBe(1);
  expect(gate.stats().limits.map(({ inflight }) => inflight)).toEqual([1, 1]);
  permit.release();
  expect(gate.stats().limits.map(({ inflight }) => inflight)).toEqual([0, 0]);
});
