import { expect, test } from 'vitest';
import type { Answer, Op } from '../../src/distributed/index.ts';
import { outcome, settled, TestStore, World } from './world.ts';

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

test.each([
  ['perKey', { perKey: true }],
  ['reserve', { reserve: 1 }],
])('%s is an error if the store does not support it', (option, options) => {
  const world = new World();
  const make = () => world.limiter({ store: world.connect(PoorStore), limit: 2, ...options });
  expect(make).toThrow(expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option }));
});

test('setLimit() throws if the store does not support it', () => {
  const world = new World();
  const limiter = world.limiter({ store: world.connect(PoorStore) });
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
  const limiter = world.limiter({ store: world.connect(PoorStore) });
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

test('each process enforces queueLimit if the store does not', async () => {
  const world = new World();
  const limiter = world.limiter({ store: world.connect(PoorStore), queueLimit: 1 });
  const held = await limiter.acquire();
  const all = [outcome(limiter.acquire()), outcome(limiter.acquire())];
  await settled();
  expect(all[1]?.error).toMatchObject({ rejection: { reason: 'full' } });
  expect(limiter.queued).toBe(1);
  held.release();
  await settled();
  all[0]?.permit?.release();
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});
