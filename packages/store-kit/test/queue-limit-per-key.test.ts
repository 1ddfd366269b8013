import { expect, test } from 'vitest';
import { outcome, scene, settled, timeout } from './world.ts';

const keyed = { perKey: true, queueLimit: 1 } as const;

/** A permit of each key is held, and as many waiters of key `a` are queued as may be. */
async function crowded(options: Parameters<typeof scene>[0]) {
  const all = scene({ ...keyed, ...options });
  const ask = (key: string) => outcome(all.limiter.acquire({ key }));
  const held = [ask('a'), ask('b')];
  await settled();
  return { ...all, ask, held };
}

test('in an outage with onStoreError: local, queueLimit applies to each key separately', async () => {
  const { world, store, limiter, ask, held } = await crowded({ onStoreError: 'local' });
  store.trouble = 'silent';
  const lost = ask('a');
  await world.advance(timeout);
  const [other, excess] = [ask('b'), ask('b')];
  await settled();
  expect([lost.error, other.error]).toEqual([undefined, undefined]);
  expect(excess.error).toMatchObject({ rejection: { reason: 'full' } });
  for (const { permit } of held) permit?.release();
  await settled();
  for (const { permit } of [lost, other]) permit?.release();
  expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

test('with hand-off, queueLimit applies to each key separately', async () => {
  const { limiter, ask, held } = await crowded({ handoff: 5, queueLimit: 2 });
  const waiting = [ask('a'), ask('a'), ask('b')];
  await settled();
  const last = ask('b');
  await settled();
  expect(last.error).toBeUndefined();
  expect(ask('b')).toEqual({});
  expect(limiter.queued).toBe(4);
  const closed = limiter.close();
  for (const { permit } of held) permit?.release();
  await closed;
  await settled();
  expect(waiting.every(({ error }) => error !== undefined)).toBe(true);
});
