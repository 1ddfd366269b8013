import type { Limiter } from '@headgate/core';
import type { OutagePolicy } from '@headgate/core/engine';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { describe, expect, test } from 'vitest';
import { outcome, scene, settled, timeout, World } from './world.ts';

const closed = { code: 'ERR_HEADGATE_REJECTED', rejection: { reason: 'closed' } };

function recording() {
  const events: string[] = [];
  const observer = {
    operated: ({ operation, limit }: { operation: string; limit: number | undefined }) =>
      void events.push(`${operation} ${limit}`),
    admitted: () => void events.push('admitted'),
    rejected: ({ rejection }: { rejection: { reason: string } }) =>
      void events.push(rejection.reason),
  };
  return { events, observer };
}

/** A limiter with one permit held and two waiters. If a policy is given, the store is unavailable. */
async function busy(onStoreError?: OutagePolicy) {
  const { events, observer } = recording();
  const { world, store, limiter } = scene({ onStoreError: onStoreError ?? 'reject', observer });
  await limiter.acquire();
  const waiting = [outcome(limiter.acquire()), outcome(limiter.acquire())];
  await settled();
  if (onStoreError !== undefined) {
    store.trouble = 'silent';
    limiter.acquire().catch(() => {});
    await world.advance(timeout);
    expect(limiter.stats().distributed?.up).toBe(false);
  }
  events.length = 0;
  return { world, store, limiter, waiting, events };
}

test.each([undefined, 'local'] as const)(
  'rejectAll() is reported before the waiters are rejected (outage: %s)',
  async (policy) => {
    const { limiter, events } = await busy(policy);
    limiter.rejectAll();
    await settled();
    const waiters = policy === undefined ? 2 : 3;
    expect(events).toEqual(['rejectAll 1', ...Array.from({ length: waiters }, () => 'closed')]);
  },
);

test.each([
  ['setLimit', (limiter: Limiter) => limiter.setLimit(2), ['setLimit 2', 'admitted']],
  ['shadow', (limiter: Limiter) => limiter.shadow(), ['shadow 1', ...Array(3).fill('admitted')]],
])('%s() is reported before it admits the waiters of an outage', async (_name, act, expected) => {
  const { limiter, events } = await busy('local');
  act(limiter);
  await settled();
  expect(events).toEqual(expected);
});

test('resume() is reported before it admits waiters during an outage', async () => {
  const { events, observer } = recording();
  const { world, store, limiter } = scene({ onStoreError: 'local', observer });
  store.trouble = 'silent';
  limiter.pause();
  outcome(limiter.acquire());
  await world.advance(timeout);
  limiter.resume();
  expect(events).toEqual(['pause 1', 'resume 1', 'admitted']);
});

test('a limit set by another process is reported before waiters are admitted', async () => {
  const events: string[] = [];
  const world = new World();
  const observer = {
    resized: ({ limit }: { limit: number }) => void events.push(`resized ${limit}`),
    admitted: () => void events.push('admitted'),
    conflict: () => {},
  };
  const [limiter, other] = [
    world.limiter({ observer }),
    world.limiter({ observer: { conflict() {} } }),
  ];
  await other.acquire();
  outcome(limiter.acquire());
  await settled();
  await world.advance(10);
  other.setLimit(2);
  await settled();
  await limiter.acquire({ queueTimeout: 0 }).catch(() => {});
  expect(events).toEqual(['admitted', 'resized 2']);
});

test.each(['reject', 'admit', 'local'] as const)(
  'a request of a rejecting limit is rejected as closed if the store fails before its answer (%s)',
  async (onStoreError) => {
    const { world, store, limiter } = scene({ onStoreError });
    limiter.rejectAll();
    await settled();
    store.trouble = 'silent';
    const asking = outcome(limiter.acquire());
    await world.advance(timeout);
    expect(asking.error).toMatchObject(closed);
  },
);

describe('the callback `operated`', () => {
  test.each([undefined, 'local'] as const)(
    'does not prevent a rejecting limit from rejecting its waiters if it throws (outage: %s)',
    async (policy) => {
      const { limiter, waiting } = await busy(policy);
      const error = new Error('broken observer');
      limiter.observe({
        operated() {
          throw error;
        },
      });
      expect(await uncaughtIn(() => limiter.rejectAll())).toEqual([error]);
      await settled();
      expect(waiting).toMatchObject([{ error: closed }, { error: closed }]);
    },
  );

  test.each([undefined, 'local'] as const)(
    'keeps the waiters of a limit that is about to reject all if it resumes the limit (outage: %s)',
    async (policy) => {
      const { world, store, limiter, waiting } = await busy(policy);
      limiter.observe({
        operated: ({ operation }) => void (operation === 'rejectAll' && limiter.resume()),
      });
      limiter.rejectAll();
      await settled();
      expect([waiting, limiter.state]).toEqual([[{}, {}], 'open']);
      store.trouble = undefined;
      await world.advance(3 * timeout);
      const other = world.limiter();
      outcome(other.acquire());
      await settled();
      expect([waiting, other.state]).toEqual([[{}, {}], 'open']);
    },
  );

  test.each([
    ['pause', undefined],
    ['pause', 'admit'],
    ['pause', 'local'],
    ['rejectAll', undefined],
    ['rejectAll', 'reject'],
    ['rejectAll', 'admit'],
    ['rejectAll', 'local'],
  ] as const)(
    'gets no permit when the limit is stopped by %s (outage: %s)',
    async (operation, policy) => {
      const world = new World();
      const store = world.connect({ reserve: 2 });
      const options = { limit: 4, ...(policy && { onStoreError: policy }) };
      const limiter = world.limiter({ store, ...options });
      (await limiter.acquire()).release();
      if (policy !== undefined) {
        store.trouble = 'silent';
        limiter.acquire({ weight: 4 }).then(
          (permit) => permit.release(),
          () => {},
        );
        await world.advance(timeout);
      }
      const acquired: ReturnType<typeof outcome>[] = [];
      limiter.observe({ operated: () => void acquired.push(outcome(limiter.acquire())) });
      limiter[operation]();
      await settled();
      expect(acquired).toMatchObject([operation === 'pause' ? {} : { error: closed }]);
      expect(acquired[0]?.permit).toBeUndefined();
    },
  );

  test('may set the limit, here and in the store', async () => {
    const { world, store, limiter, events } = await busy('local');
    limiter.observe({ operated: ({ limit }) => void (limit === 3 && limiter.setLimit(2)) });
    limiter.setLimit(3);
    expect([limiter.limit, limiter.inflight]).toEqual([2, 2]);
    expect(events).toEqual(['setLimit 3', 'setLimit 2', 'admitted']);
    store.trouble = undefined;
    await world.advance(3 * timeout);
    expect(await world.stats()).toMatchObject({ limit: 2 });
  });

  test('may close the limiter, and the operation still reaches the store', async () => {
    const { world, limiter, waiting } = await busy();
    limiter.observe({ operated: () => void limiter.close({ timeout: 0 }) });
    limiter.rejectAll();
    await settled();
    expect(waiting).toMatchObject([{ error: closed }, { error: closed }]);
    const other = world.limiter();
    await expect(other.acquire()).rejects.toMatchObject(closed);
  });
});
