import { collectWarnings } from '@headgate/test-suite/kit';
import { describe, expect, test, vi } from 'vitest';
import { useLimits } from './use-limits.ts';

const limits = useLimits();
const { connect, expectUsage, limiter, usage } = limits;

/** A store that has had an answer: the first one may take longer than the timeout. */
async function connected(times: { lease?: number; timeout: number }) {
  const store = connect(times);
  await vi.waitFor(() => store.stats({ name: 'one' }), 10_000);
  return store;
}

describe('a service that loses its state', () => {
  test('gets all leases again from processes with waiters, and never grants more than the limit', async () => {
    const lost = vi.fn();
    const limit = limiter('two', { observer: { lost } });
    const held = await Promise.all([limit.acquire(), limit.acquire()]);
    const waiting = Array.from({ length: 5 }, () => limit.acquire());
    await expectUsage('two', [2, 5]);
    await limits.service.restart();
    await expectUsage('two', [2, 5]);
    for (const permit of held) permit.release();
    for (const permit of waiting) (await permit).release();
    await expectUsage('two', [0, 0]);
    expect(lost).not.toHaveBeenCalled();
  });

  test('restores a held lease with its next renewal', async () => {
    const limit = limiter('two', {}, await connected({ lease: 3_000, timeout: 1_000 }));
    const held = await limit.acquire({ weight: 2 });
    await limits.service.restart();
    await expectUsage('two', [2, 0]);
    expect(held.signal.aborted).toBe(false);
    held.release();
  });

  test('does not restore a lease that would have expired', async () => {
    const limit = limiter('one', {}, await connected({ lease: 1_800, timeout: 600 }));
    const held = await limit.acquire();
    limits.proxy.hold(true);
    await new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    expect(held.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    await limits.service.restart();
    limits.proxy.hold(false);
    limits.proxy.cut();
    const next = await limiter('one').acquire();
    held.release();
    expect((await usage('one'))[0]).toBe(1);
    next.release();
  });
});

test('an idle connection that was cut makes no request fail', async () => {
  const limit = limiter('one');
  for (let i = 0; i < 20; i++) {
    (await limit.acquire()).release();
    await expectUsage('one', [0, 0]);
    limits.proxy.cut();
  }
});

describe('an unreachable service', () => {
  test('delays no call for longer than its timeout', async () => {
    const limit = limiter('one', {}, await connected({ timeout: 1_000 }));
    (await limit.acquire()).release();
    limits.proxy.hold(true);
    await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
    // From now on requests do not wait for it.
    await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
    expect(limit.stats().distributed?.up).toBe(false);
    limits.proxy.hold(false);
    await vi.waitFor(async () => (await limit.acquire()).release(), 10_000);
  });

  test('is replaced by local limits if the policy says so, and receives the leases when it is available again', async () => {
    const warnings = collectWarnings('HEADGATE_STORE');
    const store = await connected({ timeout: 1_000 });
    const limit = limiter('two', { onStoreError: 'local', warns: true }, store);
    const held = await limit.acquire();
    await limits.service.server.close();
    const local = await limit.acquire();
    const waiting = limit.acquire();
    await vi.waitFor(() => expect(limit.queued).toBe(1), 10_000);
    await limits.service.restart();
    await expectUsage('two', [2, 1]);
    held.release();
    (await waiting).release();
    local.release();
    await expectUsage('two', [0, 0]);
    expect(warnings).toEqual([
      expect.stringContaining('fails'),
      expect.stringContaining('is back'),
    ]);
  });
});
