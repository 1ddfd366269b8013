import { createGate, createLimiter, type Observer } from '@headgate/core';
import { call } from '@headgate/test-kit/caller';
import { describe, expect, test } from 'vitest';
import { lease, outcome, scene, settled, timeout } from './world.ts';

const policies = ['reject', 'admit', 'local'] as const;

/** What an observer hears of requests that would have been rejected, or were. */
function listener() {
  const heard: string[] = [];
  const observer: Observer = {
    store: () => {},
    rejected: ({ rejection: { reason }, shadow }) => void heard.push(`${reason} ${shadow}`),
  };
  return { heard, observer };
}

/** A process whose limit is in shadow mode. */
async function inShadow(onStoreError: (typeof policies)[number] = 'reject') {
  const { heard, observer } = listener();
  const all = scene({ onStoreError, limit: 2, queueLimit: 1, observer });
  all.limiter.shadow();
  await settled();
  return { ...all, heard };
}

describe.each(policies)('shadow mode rejects nothing (%s)', (policy) => {
  test('shadow mode rejects no request that times out before a hanging store answers', async () => {
    const { world, store, limiter, heard } = await inShadow(policy);
    store.trouble = 'silent';
    const late = outcome(limiter.acquire({ queueTimeout: 100 }));
    await world.advance(100);
    const { permit } = late;
    expect([permit !== undefined, heard]).toEqual([true, ['timeout true']]);
    store.trouble = undefined;
    await world.advance(4 * timeout);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 0 });
    permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0 });
  });

  test('shadow mode rejects no request that times out while the event loop is busy', async () => {
    const { world, limiter, heard } = await inShadow(policy);
    await Promise.all([limiter.acquire({ weight: 2 }), limiter.acquire({ weight: 2 })]);
    heard.length = 0;
    const late = outcome(limiter.acquire({ queueTimeout: 100 }));
    world.clock.busy(100);
    await settled();
    expect(late.permit).toBeDefined();
    // Once, although it also exceeds the limit.
    expect(heard).toEqual(['timeout true']);
    expect(limiter.stats()).toMatchObject({ inflight: 5, queued: 0 });
  });

  test('shadow mode lets the waiters of a paused limit time out', async () => {
    const { world, store, limiter } = await inShadow(policy);
    store.trouble = 'silent';
    limiter.pause();
    const waiting = outcome(limiter.acquire({ queueTimeout: 2 * timeout }));
    await world.advance(2 * timeout);
    expect(waiting.error).toMatchObject({ rejection: { reason: 'timeout' } });
    expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });
});

test('shadow() admits a request that the store rejects before it has received the change', async () => {
  const { heard, observer } = listener();
  const { world, limiter } = scene({ queueLimit: 0, observer });
  await limiter.acquire();
  const asking = outcome(limiter.acquire());
  limiter.shadow();
  await settled();
  expect([asking.permit !== undefined, heard]).toEqual([true, ['full true']]);
  await settled();
  expect(await world.stats()).toMatchObject({ inflight: 2, queued: 0 });
});

describe.each([
  ['reject', Array(4).fill('store true')],
  ['admit', []],
  ['local', ['full true']],
] as const)('shadow mode in an outage (%s)', (policy, expected) => {
  test.each(['silent', 'refused'] as const)(
    'reports would-be rejections if the store fails before it answers: %s',
    async (trouble) => {
      const { world, store, limiter, heard } = await inShadow(policy);
      store.trouble = trouble;
      const all = [1, 2, 3, 4].map(() => outcome(limiter.acquire()));
      await world.advance(timeout);
      expect(all.every(({ permit }) => permit !== undefined)).toBe(true);
      expect(heard).toEqual(expected);
    },
  );

  test('shadow mode does not report requests that were queued before it started', async () => {
    const { heard, observer } = listener();
    const { world, store, limiter } = scene({ onStoreError: policy, observer });
    await limiter.acquire();
    const waiting = [outcome(limiter.acquire()), outcome(limiter.acquire())];
    await settled();
    store.trouble = 'silent';
    limiter.shadow();
    await world.advance(timeout);
    expect(waiting.every(({ permit }) => permit !== undefined)).toBe(true);
    expect(heard).toEqual([]);
  });
});

test('an observer may withdraw a request while shadow mode reports and admits it', async () => {
  const { world, store, limiter } = await inShadow('reject');
  store.trouble = 'silent';
  const caller = call(limiter);
  limiter.observe({ rejected: () => limiter.withdraw(caller) });
  await world.advance(timeout);
  expect([caller.answers, limiter.inflight, limiter.queued]).toEqual([0, 0, 0]);
  store.trouble = undefined;
  await world.advance(2 * lease);
  expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
});

describe('a gate with a limit in shadow mode and another limit', () => {
  async function gated(limit = 1) {
    const { world, store, limiter } = await inShadow('reject');
    const { heard, observer } = listener();
    const { clock } = world;
    const before = createLimiter({ name: 'before', limit, queueLimit: 0, clock });
    const after = createLimiter({ name: 'after', limit, queueLimit: 9, clock });
    const limits = [before, limiter, after].map((each) => ({ limiter: each }));
    const gate = createGate({ limits, queueLimit: 9, queueTimeout: 100, clock });
    gate.observe(observer);
    store.trouble = 'silent';
    return { world, gate, heard, before, after };
  }

  test('admits and reports a request whose deadline passes at the limit in shadow mode', async () => {
    const { world, gate, heard } = await gated();
    const late = outcome(gate.acquire());
    await world.advance(100);
    expect([late.permit !== undefined, heard]).toEqual([true, ['timeout true']]);
    expect(gate.stats()).toMatchObject({ holders: 1, queued: 0 });
  });

  test('reports that timeout even if the request exceeds another limit in shadow mode', async () => {
    const { world, gate, heard, before } = await gated();
    before.shadow();
    await before.acquire();
    const late = outcome(gate.acquire());
    await world.advance(100);
    expect([late.permit !== undefined, heard]).toEqual([true, ['timeout true']]);
  });

  test('rejects the request if another limit is not in shadow mode and has no room', async () => {
    const { world, gate, heard, after } = await gated();
    await after.acquire();
    const late = outcome(gate.acquire());
    await world.advance(101);
    expect(late.error).toMatchObject({ rejection: { reason: 'timeout', limitName: 'after' } });
    expect(heard).toEqual(['timeout false']);
    expect(gate.stats()).toMatchObject({ holders: 0, queued: 0 });
  });

  test('reports a request that an outage would have rejected', async () => {
    const { world, gate, heard } = await gated(9);
    outcome(gate.acquire({ queueTimeout: 60_000 }));
    await world.advance(timeout);
    await gate.acquire();
    expect(heard).toEqual(['store true', 'store true']);
  });
});
