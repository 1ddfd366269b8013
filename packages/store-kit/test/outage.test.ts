import type { OutagePolicy } from '@headgate/core/engine';
import { collectWarnings } from '@headgate/test-kit/warnings';
import { describe, expect, test } from 'vitest';
import { lease, outcome, refused, scene, settled, timedOut, timeout } from './world.ts';

function observed(onStoreError?: OutagePolicy, limit = 1) {
  const reported: boolean[] = [];
  const observer = { store: ({ up }: { up: boolean }) => reported.push(up) };
  return { ...scene({ onStoreError, limit, observer }), reported };
}

describe('while the store is unavailable', () => {
  test("no request waits longer than the store's timeout, and later requests do not wait at all", async () => {
    const { world, store, limiter, reported } = observed();
    store.trouble = 'silent';
    const first = outcome(limiter.acquire());
    await world.advance(timeout);
    expect(first.error).toMatchObject({
      name: 'StoreError',
      code: 'ERR_HEADGATE_STORE_TIMEOUT',
      rejection: { reason: 'store', limitName: 'renders', error: timedOut },
    });
    const second = outcome(limiter.acquire());
    await settled();
    expect(second.error).toMatchObject({ rejection: { reason: 'store' } });
    expect(limiter.stats()).toMatchObject({ rejected: { store: 2 }, distributed: { up: false } });
    store.trouble = undefined;
    await world.advance(4 * timeout);
    (await limiter.acquire()).release();
    expect(reported).toEqual([false, true]);
  });

  test('the policy reject rejects all waiters and keeps no state', async () => {
    const { world, store, limiter } = observed('reject');
    const other = world.limiter();
    const held = await other.acquire();
    const waiting = [outcome(limiter.acquire()), outcome(limiter.acquire())];
    await settled();
    store.trouble = 'silent';
    await world.advance(lease / 3 + timeout + 50);
    for (const { error } of waiting) expect(error).toMatchObject({ name: 'StoreError' });
    store.trouble = undefined;
    await world.advance(lease);
    expect(await world.stats()).toMatchObject({ inflight: 1, queued: 0 });
    held.release();
  });

  test('the policy admit admits all requests, and registers them when the store is available again', async () => {
    const { world, store, limiter } = observed('admit');
    store.trouble = 'silent';
    const all = Array.from({ length: 3 }, () => outcome(limiter.acquire()));
    await world.advance(timeout);
    const permits = all.map(({ permit }) => permit);
    expect(permits.every((permit) => permit?.fencing === undefined && permit !== undefined)).toBe(
      true,
    );
    expect(limiter.inflight).toBe(3);
    store.trouble = undefined;
    await world.advance(4 * timeout);
    expect(await world.stats()).toMatchObject({ inflight: 3 });
    const next = outcome(limiter.acquire());
    await settled();
    expect(next.permit).toBeUndefined();
    for (const permit of permits) permit?.release();
    await settled();
    expect(next.permit).toBeDefined();
    next.permit?.release();
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('the policy local enforces the limit in this process, in order of arrival', async () => {
    const { world, store, limiter } = observed('local', 2);
    const held = await limiter.acquire();
    store.trouble = 'silent';
    const all = Array.from({ length: 3 }, () => outcome(limiter.acquire()));
    await world.advance(timeout);
    // The permit held before the outage counts.
    expect(all.map(({ permit }) => permit !== undefined)).toEqual([true, false, false]);
    const newcomer = outcome(limiter.acquire());
    await settled();
    held.release();
    all[0]?.permit?.release();
    await settled();
    expect(all.map(({ permit }) => permit !== undefined)).toEqual([true, true, true]);
    expect(newcomer.permit).toBeUndefined();
    store.trouble = undefined;
    await world.advance(4 * timeout);
    expect(await world.stats()).toMatchObject({ inflight: 2, queued: 1 });
    all[1]?.permit?.release();
    await settled();
    expect(newcomer.permit?.fencing).toBeDefined();
    newcomer.permit?.release();
    all[2]?.permit?.release();
    await world.advance(lease);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
    expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('with the policy local, waiters queued at the store keep their positions there', async () => {
    const { world, store, limiter } = observed('local');
    const other = world.limiter();
    const held = await other.acquire();
    const own = outcome(limiter.acquire({ weight: 1 }));
    await settled();
    // Another process holds the only permit, so the local count of this process is 0.
    store.trouble = 'silent';
    await world.advance(lease / 3 + timeout + 50);
    expect(own.permit).toBeDefined();
    const second = outcome(limiter.acquire());
    const third = outcome(limiter.acquire());
    await settled();
    store.trouble = undefined;
    await world.advance(4 * timeout);
    expect(await world.stats()).toMatchObject({ inflight: 2, queued: 2 });
    held.release();
    own.permit?.release();
    await settled();
    expect([second.permit !== undefined, third.permit !== undefined]).toEqual([true, false]);
    second.permit?.release();
    await settled();
    third.permit?.release();
    await world.advance(lease);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('the policy local enforces queueLimit and queueTimeout', async () => {
    const warnings = collectWarnings();
    const { world, store, limiter } = scene({
      onStoreError: 'local',
      queueLimit: 1,
      queueTimeout: 900,
      warns: true,
    });
    store.trouble = 'silent';
    const held = outcome(limiter.acquire());
    await world.advance(timeout);
    const waiting = outcome(limiter.acquire());
    await expect(limiter.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    await world.advance(899);
    expect(waiting.error).toBeUndefined();
    await world.advance(1);
    expect(waiting.error).toMatchObject({ rejection: { reason: 'timeout' } });
    held.permit?.release();
    expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
    expect(warnings).toEqual(['HEADGATE_STORE']);
  });

  test('the policy local enforces queueLimit for callers that the store refuses', async () => {
    const { world, store, limiter } = scene({ onStoreError: 'local', queueLimit: 1 });
    const held = await limiter.acquire();
    store.trouble = 'refused';
    const [waiting, excess] = [outcome(limiter.acquire()), outcome(limiter.acquire())];
    await settled();
    expect(waiting.error).toBeUndefined();
    expect(excess.error).toMatchObject({ rejection: { reason: 'full' } });
    expect(limiter.stats()).toMatchObject({ inflight: 1, queued: 1 });
    store.trouble = undefined;
    held.release();
    await world.advance(lease);
    waiting.permit?.release();
    expect(limiter.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('an error response of the server affects only its request', async () => {
    const { world, store, limiter, reported } = observed();
    store.trouble = 'refused';
    await expect(limiter.acquire()).rejects.toMatchObject({
      code: 'ERR_HEADGATE_STORE_REFUSED',
      rejection: { reason: 'store', error: refused },
    });
    store.trouble = undefined;
    (await limiter.acquire()).release();
    await settled();
    expect(reported).toEqual([true]);
    expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
  });

  test('an acquire whose answer was lost does not hold a lease for long', async () => {
    const { world, store, limiter } = observed();
    store.trouble = 'deaf';
    const lost = outcome(limiter.acquire());
    await settled();
    expect(await world.stats()).toMatchObject({ inflight: 1 });
    await world.advance(timeout);
    expect(lost.error).toMatchObject({ rejection: { reason: 'store' } });
    store.trouble = undefined;
    await world.advance(lease / 6 + 50);
    expect(await world.stats()).toMatchObject({ inflight: 0 });
  });

  test('a release is sent until the store has confirmed it', async () => {
    const { world, store, limiter } = observed();
    const permit = await limiter.acquire();
    store.trouble = 'silent';
    permit.release();
    await world.advance(timeout + 50);
    expect(await world.stats()).toMatchObject({ inflight: 1 });
    store.trouble = undefined;
    await world.advance(lease / 6 + 50);
    expect(await world.stats()).toMatchObject({ inflight: 0 });
  });

  test('close() waits no longer than the timeout of a call', async () => {
    const { world, store, limiter } = observed();
    const permit = await limiter.acquire();
    store.trouble = 'silent';
    permit.release();
    let left: number | undefined;
    void limiter.close().then((count) => {
      left = count;
    });
    await world.advance(timeout + 50);
    expect(left).toBe(0);
  });

  test.each(['reject', 'admit', 'local'] as const)(
    'a caller whose deadline passes before the store answers is rejected with timeout, even with the policy %s',
    async (policy) => {
      const { world, store, limiter, reported } = observed(policy);
      store.trouble = 'silent';
      const hurried = outcome(limiter.acquire({ queueTimeout: 100 }));
      await world.advance(100);
      expect(hurried.error).toMatchObject({ rejection: { reason: 'timeout' } });
      expect(reported).toEqual([]);
      // The call has timed out as well: from now on the policy applies.
      await world.advance(timeout - 100);
      expect(reported).toEqual([false]);
      const next = outcome(limiter.acquire({ queueTimeout: 100 }));
      await world.advance(0);
      expect(next.permit !== undefined).toBe(policy !== 'reject');
      next.permit?.release();
      store.trouble = undefined;
      await world.advance(lease);
      expect(await world.stats()).toMatchObject({ inflight: 0, queued: 0 });
    },
  );
});

test('messages that are still missing at the end of an outage are reported then', async () => {
  const reported: unknown[] = [];
  const observer = {
    store: ({ up, error }: { up: boolean; error?: unknown }) => void reported.push([up, error]),
  };
  const { world, store, limiter } = scene({ observer });
  store.trouble = 'silent';
  const first = outcome(limiter.acquire());
  await world.advance(timeout);
  expect(first.error).toBeDefined();
  store.listener?.muted?.(refused);
  expect(reported).toEqual([[false, timedOut]]);
  store.trouble = undefined;
  await world.advance(4 * timeout);
  expect(reported.slice(1)).toEqual([
    [true, undefined],
    [true, refused],
  ]);
  store.listener?.muted?.(undefined);
  expect(reported.at(-1)).toEqual([true, undefined]);
});
