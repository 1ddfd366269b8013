import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SubscriptionProbe } from '../src/index.ts';

const timeout = 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A subscription that is up and probed, with a waiter that depends on it. */
function probed(onPublish: (probe: SubscriptionProbe) => Promise<unknown>) {
  const state = { isNeeded: true, published: 0, failures: 0 };
  const probe: SubscriptionProbe = new SubscriptionProbe({
    timeout,
    publish() {
      state.published++;
      return onPublish(probe);
    },
    isNeeded: () => state.isNeeded,
    failed: () => state.failures++,
  });
  probe.up();
  return { probe, state };
}

const accepted = async () => {};
const advance = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

test('a subscription whose published message does not arrive in time has failed', async () => {
  const { state } = probed(accepted);
  await advance(timeout);
  expect(state).toMatchObject({ published: 1, failures: 0 });
  await advance(1.1 * timeout);
  expect(state).toMatchObject({ published: 1, failures: 1 });
});

test('a subscription that delivers its message is probed again while waiters depend on it', async () => {
  const { probe, state } = probed(async (own) => own.heard());
  await advance(3 * timeout);
  expect(state).toMatchObject({ published: 3, failures: 0 });
  state.isNeeded = false;
  await advance(5 * timeout);
  expect(state.published).toBe(4);
  state.isNeeded = true;
  probe.wanted();
  await advance(timeout);
  expect(state.published).toBe(5);
});

test('a subscription that receives other messages is not probed', async () => {
  const { probe, state } = probed(accepted);
  for (let rounds = 0; rounds < 5; rounds++) {
    await advance(timeout / 2);
    probe.heard();
    await advance(timeout / 2);
  }
  expect(state).toMatchObject({ published: 0, failures: 0 });
});

test.each([
  ['is refused', () => Promise.reject(new Error('down'))],
  ['gets no reply', () => new Promise(() => {})],
])('a message that %s proves nothing about the subscription', async (_, onPublish) => {
  const { state } = probed(onPublish);
  await advance(5 * timeout);
  expect(state.published).toBeGreaterThan(1);
  expect(state.failures).toBe(0);
});

test('a subscription that is known to be lost is not probed until it is restored', async () => {
  const { probe, state } = probed(accepted);
  await advance(1.5 * timeout);
  probe.down();
  probe.wanted();
  await advance(5 * timeout);
  expect(state).toMatchObject({ published: 1, failures: 0 });
  probe.up();
  await advance(2.2 * timeout);
  expect(state).toMatchObject({ published: 2, failures: 1 });
});

test('a subscription without waiters is not probed', async () => {
  const { probe, state } = probed(accepted);
  probe.down();
  state.isNeeded = false;
  probe.up();
  await advance(5 * timeout);
  expect(state.published).toBe(0);
});
