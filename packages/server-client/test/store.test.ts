import { createLimiter, type Limiter, type Permit } from '@headgate/core';
import { describe, expect, test, vi } from 'vitest';
import { semaphores, useLimits } from './use-limits.ts';

const limits = useLimits();
const { connect, expectUsage, limiter, usage } = limits;

const refused = (message: string) =>
  expect.objectContaining({
    code: 'ERR_HEADGATE_STORE_REFUSED',
    message: expect.stringContaining(message),
  });

describe('a limit', () => {
  test('is refused if its value at the service differs, with an error that names both values', async () => {
    const wrong = limiter('two', { limit: 5 });
    const message = 'semaphore "two" has 2 at the service, but the limit "two" is 5 here';
    for (let i = 0; i < 3; i++) {
      await expect(wrong.acquire()).rejects.toEqual(refused(message));
      await vi.waitFor(
        async () => expect(JSON.parse(await limits.service.ask('/peers/'))).toEqual([]),
        10_000,
      );
    }
    expect(wrong.limit).toBe(5);
    expect(await usage('two')).toEqual([0, 0]);
    limits.service.server.configure({ ...semaphores, two: 5 });
    (await wrong.acquire()).release();
  });

  test('is refused if the service does not have it, with an error that says what to configure', async () => {
    const observer = { store: () => {} };
    const unknown = createLimiter({ name: 'lacking', limit: 7, store: connect() });
    unknown.observe(observer);
    const message = 'no semaphore "lacking": configure it with 7';
    await expect(unknown.acquire()).rejects.toEqual(refused(message));
    limits.service.server.configure({ ...semaphores, lacking: 7 });
    (await unknown.acquire()).release();
  });

  test('is adopted if it changes at the service, and the app is notified', async () => {
    const conflict = vi.fn();
    const changing = limiter('two', { observer: { conflict } });
    await changing.acquire();
    limits.service.server.configure({ ...semaphores, two: 3 });
    await vi.waitFor(
      async () => {
        (await changing.acquire()).release();
        expect(changing.limit).toBe(3);
      },
      { timeout: 10_000, interval: 100 },
    );
    expect(conflict).toHaveBeenCalledWith({ name: 'two', declared: 2, limit: 3 });
    await Promise.all([changing.acquire(), changing.acquire()]);
    expect((await usage('two'))[0]).toBe(3);
  });

  test('may be closed at the service for a while and then applies unchanged', async () => {
    const conflict = vi.fn();
    const limit = limiter('two', { observer: { conflict } });
    (await limit.acquire()).release();
    limits.service.server.configure({ ...semaphores, two: 0 });
    const code = 'ERR_HEADGATE_STORE_REFUSED';
    await expect(limit.acquire()).rejects.toMatchObject({ code });
    // The figures are fetched again once they are a second old.
    const served = vi.spyOn(limits.service.server.app, 'fetch');
    await vi.waitFor(async () => {
      await expect(limit.acquire()).rejects.toMatchObject({ code });
      expect(served.mock.calls.map(([{ url }]) => new URL(url).pathname)).toContain('/metrics');
    }, 10_000);
    limits.service.server.configure(semaphores);
    (await limit.acquire()).release();
    expect(limit.limit).toBe(2);
    expect(conflict).not.toHaveBeenCalled();
  });

  test('is refused with perKey', () => {
    expect(() => limiter('two', { perKey: true })).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'perKey' }),
    );
  });

  test('cannot be changed, and neither can the weight of a permit', async () => {
    const fixed = limiter('two');
    const code = 'ERR_HEADGATE_UNSUPPORTED';
    expect(() => fixed.setLimit(1)).toThrow(expect.objectContaining({ code }));
    const permit = await fixed.acquire();
    expect(permit.fencing).toBeUndefined();
    permit.adjust(1);
    expect(() => permit.adjust(2)).toThrow(expect.objectContaining({ option: 'weight' }));
    expect(permit.weight).toBe(1);
    permit.release();
    await expectUsage('two', [0, 0]);
  });

  test('applies queueLimit in each process', async () => {
    const [mine, others] = [limiter('one', { queueLimit: 1 }), limiter('one', { queueLimit: 1 })];
    const held = await mine.acquire();
    const waiting = [mine.acquire(), others.acquire()];
    await expectUsage('one', [1, 2]);
    await expect(mine.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    held.release();
    for (const permit of waiting) (await permit).release();
  });
});

describe('the queue', () => {
  test('is FIFO across processes, without renewals', async () => {
    const stores = [connect(), connect()];
    const [mine, others] = stores.map((store) => limiter('one', {}, store)) as [Limiter, Limiter];
    let last = await mine.acquire();
    const order: number[] = [];
    const waiting: Promise<Permit>[] = [];
    for (let at = 0; at < 8; at++) {
      const permit = (at % 3 === 0 ? others : mine).acquire();
      permit.then(() => order.push(at));
      waiting.push(permit);
      await expectUsage('one', [1, at + 1]);
    }
    for (const next of waiting) {
      last.release();
      last = await next;
    }
    last.release();
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('uses three connections per process, for any number of waiters and limits', async () => {
    // The timeout is long, because a busy machine is no outage.
    const store = connect({ timeout: 20_000 });
    const names = ['a', 'b', 'c', 'd', 'e'] as const;
    const limiters = names.map((name) => limiter(name, {}, store));
    const held = await Promise.all(limiters.map((each) => each.acquire()));
    const waiting = limiters.flatMap((each) => Array.from({ length: 100 }, () => each.acquire()));
    await vi.waitFor(
      () => expect(limiters.map(({ queued }) => queued)).toEqual(Array(5).fill(100)),
      20_000,
    );
    // A connection replaced by another may still be closing.
    await vi.waitFor(() => expect(limits.proxy.connections).toBeLessThanOrEqual(3), 10_000);
    let max = 0;
    const record = () => {
      max = Math.max(max, limits.proxy.connections);
    };
    const timer = setInterval(record, 1);
    for (const permit of held) permit.release();
    await Promise.all(waiting.map(async (permit) => (await permit).release()));
    clearInterval(timer);
    expect(max).toBe(3);
  });

  test('reports a grant while polls for two other limits are blocked', async () => {
    const names = ['a', 'b', 'c'] as const;
    const elsewhere = connect();
    const held = await Promise.all(names.map((name) => limiter(name, {}, elsewhere).acquire()));
    const store = connect();
    // Shorter than the time for which a request is blocked.
    const waiting = names.map((name) => limiter(name, { queueTimeout: 4_000 }, store).acquire());
    for (const each of waiting) each.catch(() => {});
    await expectUsage('c', [1, 1]);
    held[2]?.release();
    (await waiting[2])?.release();
    for (const permit of held) permit.release();
    for (const each of waiting) await each.then((permit) => permit.release());
  });

  test('removes waiters that abort or time out', async () => {
    const limit = limiter('one');
    const held = await limit.acquire();
    const abort = new AbortController();
    const aborted = limit.acquire({ signal: abort.signal });
    const patient = limit.acquire();
    aborted.catch(() => {});
    await expectUsage('one', [1, 2]);
    const timedOut = limit.acquire({ queueTimeout: 200 });
    await expect(timedOut).rejects.toMatchObject({ rejection: { reason: 'timeout' } });
    await expectUsage('one', [1, 2]);
    abort.abort();
    await expect(aborted).rejects.toBe(abort.signal.reason);
    await expectUsage('one', [1, 1]);
    held.release();
    (await patient).release();
    await expectUsage('one', [0, 0]);
  });

  test('keeps a granted permit at the time when the wait would have ended', async () => {
    const limit = limiter('one', { queueTimeout: 2_000 });
    const held = await limit.acquire();
    const waiting = limit.acquire();
    await expectUsage('one', [1, 1]);
    held.release();
    const permit = await waiting;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(await usage('one')).toEqual([1, 0]);
    expect(permit.signal.aborted).toBe(false);
    permit.release();
  });

  test('is not used if queueLimit is 0', async () => {
    const limit = limiter('one', { queueLimit: 0 });
    const held = await limit.acquire();
    for (let i = 0; i < 3; i++) {
      await expect(limit.acquire()).rejects.toMatchObject({ rejection: { reason: 'full' } });
    }
    expect(await usage('one')).toEqual([1, 0]);
    held.release();
  });
});
