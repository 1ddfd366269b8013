import { createGate, type Limiter, type Observer, type Permit } from '@headgate/core';
import { expect, test } from 'vitest';
import { outcome, scene, settled, timeout, World } from './world.ts';

/** What an observer hears of requests, by their outcome. */
function listener(): { heard: string[]; observer: Observer } {
  const heard: string[] = [];
  const observer: Observer = {
    admitted: () => void heard.push('admitted'),
    rejected: ({ rejection: { reason, queued, waited }, shadow }) =>
      void heard.push(`${reason} ${queued} ${waited} ${shadow}`),
  };
  return { heard, observer };
}

const options = { name: 'renders', limit: 3, queueLimit: 1, queueTimeout: 60_000 };

/** Requests of these weights, one after the other, all admitted. */
async function use(limiter: Limiter, ...weights: number[]): Promise<Permit[]> {
  const permits: Permit[] = [];
  for (const weight of weights) permits.push(await limiter.acquire({ weight }));
  return permits;
}

test('shadow mode reports a request that exceeds the limit by more than the queue holds', async () => {
  const { heard, observer } = listener();
  const { limiter } = scene({ ...options, observer });
  limiter.shadow();
  const [first] = await use(limiter, 1, 2, 1, 1, 3, 2);
  first?.release();
  await settled();
  await use(limiter, 1);
  const { wouldReject, rejected, shadow } = limiter.stats();
  expect([limiter.inflight, wouldReject.full, rejected.full, shadow]).toEqual([
    10,
    4,
    0,
    undefined,
  ]);
  expect(heard).toContain('full 2 0 true');
});

test('requests that are sent together are reported individually', async () => {
  const { heard, observer } = listener();
  const { limiter } = scene({ ...options, limit: 2, observer });
  limiter.shadow();
  await Promise.all(Array.from({ length: 5 }, () => limiter.acquire()));
  expect(heard.filter((one) => one !== 'admitted')).toEqual(['full 2 0 true', 'full 3 0 true']);
});

test('shadow mode counts the permits of all processes', async () => {
  const { heard, observer } = listener();
  const world = new World();
  const [here, there] = [world.limiter({ ...options, observer }), world.limiter(options)];
  here.shadow();
  await use(there, 3, 1);
  await use(here, 1);
  expect(heard).toEqual(['full 2 0 true', 'admitted']);
  expect(await world.stats()).toMatchObject({ inflight: 5, holders: 3 });
});

test('shadow mode admits all waiters, and reports none of them', async () => {
  const { heard, observer } = listener();
  const { limiter } = scene({ ...options, limit: 1, queueLimit: 9, handoff: 5, observer });
  await limiter.acquire();
  const waiting = [outcome(limiter.acquire()), outcome(limiter.acquire())];
  await settled();
  limiter.shadow();
  await settled();
  expect(waiting).toMatchObject([{ permit: {} }, { permit: {} }]);
  expect(heard).toEqual(['admitted', 'admitted', 'admitted']);
});

test('with hand-off and reserves, shadow mode requests each lease from the store', async () => {
  const { heard, observer } = listener();
  const { limiter } = scene({
    ...options,
    limit: 2,
    queueLimit: 0,
    handoff: 5,
    reserve: 2,
    observer,
  });
  limiter.shadow();
  const [first] = await use(limiter, 1, 1, 1);
  const next = limiter.acquire();
  first?.release();
  await next;
  await settled();
  expect(heard.filter((one) => one !== 'admitted')).toHaveLength(2);
  expect(limiter.inflight).toBe(3);
});

test('ending shadow mode revokes no permit, and admits requests once enough permits are released', async () => {
  const { heard, observer } = listener();
  const { limiter } = scene({ ...options, limit: 1, handoff: 5, observer });
  limiter.shadow();
  const permits = await use(limiter, 1, 1, 1);
  limiter.enforce();
  const waiting = outcome(limiter.acquire());
  for (const permit of permits) {
    await settled();
    expect(waiting).toEqual({});
    expect(permit.signal.aborted).toBe(false);
    permit.release();
  }
  await settled();
  expect(waiting.permit).toBeDefined();
  expect(heard.filter((one) => one !== 'admitted')).toEqual(['full 2 0 true']);
});

test('a paused limit admits no requests in shadow mode either', async () => {
  const { limiter } = scene(options);
  limiter.shadow();
  limiter.pause();
  const waiting = outcome(limiter.acquire());
  await settled();
  expect([limiter.mode, limiter.state, waiting]).toEqual(['shadow', 'paused', {}]);
  limiter.resume();
  await settled();
  expect(waiting.permit).toBeDefined();
});

test('a gate reports what a distributed limit in shadow mode would have rejected', async () => {
  const { heard, observer } = listener();
  const { limiter } = scene({ ...options, limit: 1, queueLimit: 0 });
  const gate = createGate({ limits: [{ limiter }], queueLimit: 9, queueTimeout: 9_000 });
  gate.observe(observer);
  limiter.shadow();
  await gate.acquire();
  await gate.acquire();
  expect(heard).toEqual(['admitted', 'full 1 0 true', 'admitted']);
});

test.each([
  ['reject', 'store 0 0 true'],
  ['admit', undefined],
  ['local', 'full 2 0 true'],
] as const)(
  'shadow mode admits every request of an outage (%s)',
  async (onStoreError, reported) => {
    const { heard, observer } = listener();
    const { world, store, limiter } = scene({ ...options, limit: 1, onStoreError, observer });
    limiter.shadow();
    await settled();
    store.trouble = 'silent';
    const first = outcome(limiter.acquire());
    await world.advance(timeout);
    expect(first.permit).toBeDefined();
    heard.length = 0;
    await use(limiter, 1, 1);
    const reports = heard.filter((one) => one !== 'admitted');
    expect(reports.at(-1)).toBe(reported);
    store.trouble = undefined;
    await world.advance(3 * timeout);
    expect(await world.stats()).toMatchObject({ inflight: 3, queued: 0 });
    expect(limiter.mode).toBe('shadow');
  },
);
