import { counts, Latch } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { appsWithoutNode } from './without-node.ts';

describe('clients that leave Hono without Node', () => {
  const appOf = appsWithoutNode();

  it('takes a client that goes away out of the line', async () => {
    const latch = new Latch();
    const handled: string[] = [];
    const { app, limit } = appOf(
      async (c) => {
        handled.push(c.req.path);
        await latch.opened;
        return c.body(null);
      },
      { queueLimit: 1 },
    );
    const holder = app.request('/holder');
    await counts(limit, 1);
    const leaver = new AbortController();
    const left = app.request('/leaver', { signal: leaver.signal });
    await counts(limit, 1, 1);
    leaver.abort();
    await counts(limit, 1, 0);
    expect(limit.stats().withdrawn).toBe(1);
    latch.open();
    await Promise.all([holder, left]);
    expect(handled).toEqual(['/holder']);
  });

  it('tells the handler when its client goes away, and waits for it', async () => {
    const latch = new Latch();
    const signals: (AbortSignal | undefined)[] = [];
    const { app, limit } = appOf(async (c) => {
      signals.push(c.get('admission').permit?.signal);
      await latch.opened;
      return c.body(null);
    });
    const leaver = new AbortController();
    const answer = app.request('/', { signal: leaver.signal });
    await counts(limit, 1);
    leaver.abort();
    expect(signals[0]?.reason).toMatchObject({ code: 'ERR_HEADGATE_DISCONNECTED' });
    expect(limit.inflight).toBe(1);
    latch.open();
    await answer;
  });

  it("frees a leaver's place at once with onDisconnect: 'release'", async () => {
    const latch = new Latch();
    const { app, limit } = appOf(
      async (c) => {
        await latch.opened;
        return c.body(null);
      },
      { onDisconnect: 'release' },
    );
    const leaver = new AbortController();
    const answer = app.request('/', { signal: leaver.signal });
    await counts(limit, 1);
    leaver.abort();
    await counts(limit, 0);
    latch.open();
    await answer;
  });
});
