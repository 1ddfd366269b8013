import { collectWarnings } from '@headgate/test-suite';
import { describe, expect, test, vi } from 'vitest';
import { useLimits } from './use-limits.ts';

const limits = useLimits();
const { connect, limiter, stood } = limits;

describe('a service that loses its state', () => {
  test('is told at once by those who wait, and never lets in more than there is room for then', async () => {
    const lost = vi.fn();
    const limit = limiter('two', { observer: { lost } });
    const held = await Promise.all([limit.acquire(), limit.acquire()]);
    const waiting = Array.from({ length: 5 }, () => limit.acquire());
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 5]));
    await limits.service.restart();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 5]), 10_000);
    for (const permit of held) permit.release();
    for (const permit of waiting) (await permit).release();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([0, 0]));
    expect(lost).not.toHaveBeenCalled();
  });

  test('is told by who holds, with the next renewal', async () => {
    const limit = limiter('two', {}, connect({ lease: 600, timeout: 200 }));
    const held = await limit.acquire({ weight: 2 });
    await limits.service.restart();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 0]), 10_000);
    expect(held.signal.aborted).toBe(false);
    held.release();
  });

  test('is not told of what it would have let go of', async () => {
    const limit = limiter('one', {}, connect({ lease: 450, timeout: 150 }));
    const held = await limit.acquire();
    limits.proxy.hold(true);
    await new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    expect(held.signal.reason).toMatchObject({ code: 'ERR_HEADGATE_LEASE_LOST' });
    await limits.service.restart();
    limits.proxy.hold(false);
    limits.proxy.cut();
    const next = await limiter('one').acquire();
    held.release();
    expect((await stood('one'))[0]).toBe(1);
    next.release();
  });
});

test('a connection that was cut while nobody used it fails nobody', async () => {
  const limit = limiter('one');
  for (let turn = 0; turn < 20; turn++) {
    (await limit.acquire()).release();
    await vi.waitFor(async () => expect(await stood('one')).toEqual([0, 0]));
    limits.proxy.cut();
  }
});

describe('a service that is away', () => {
  test('is waited for no longer than a call may take', async () => {
    const limit = limiter('one', {}, connect({ timeout: 100 }));
    (await limit.acquire()).release();
    limits.proxy.hold(true);
    await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
    // From now on nobody waits for it.
    await expect(limit.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_STORE_TIMEOUT' });
    expect(limit.stats().shared?.up).toBe(false);
    limits.proxy.hold(false);
    await vi.waitFor(async () => (await limit.acquire()).release(), 10_000);
  });

  test('is stood in for where the policy says so, and told when it is back', async () => {
    const warnings = collectWarnings('HEADGATE_STORE');
    const limit = limiter('two', { onStoreError: 'local', warns: true }, connect({ timeout: 200 }));
    const held = await limit.acquire();
    await limits.service.server.close();
    const local = await limit.acquire();
    const waiting = limit.acquire();
    await vi.waitFor(() => expect(limit.queued).toBe(1));
    await limits.service.restart();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([2, 1]), 10_000);
    held.release();
    (await waiting).release();
    local.release();
    await vi.waitFor(async () => expect(await stood('two')).toEqual([0, 0]));
    expect(warnings).toEqual([
      expect.stringContaining('fails'),
      expect.stringContaining('is back'),
    ]);
  });
});
