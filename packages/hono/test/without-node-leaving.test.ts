import { counts, Latch } from '@headgate/test-suite';
import { describe, expect, it } from 'vitest';
import { appsWithoutNode } from './without-node.ts';

describe('client disconnects in Hono without Node', () => {
  const appOf = appsWithoutNode();

  it('removes a disconnected client from the queue', async () => {
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
    const aborter = new AbortController();
    const left = app.request('/leaver', { signal: aborter.signal });
    await counts(limit, 1, 1);
    aborter.abort();
    await counts(limit, 1, 0);
    expect(limit.stats().withdrawn).toBe(1);
    latch.open();
    await Promise.all([holder, left]);
    expect(handled).toEqual(['/holder']);
  });

  it('signals a disconnect to the handler, and holds the permit until it is done', async () => {
    const latch = new Latch();
    const signals: (AbortSignal | undefined)[] = [];
    const { app, limit } = appOf(async (c) => {
      signals.push(c.get('admission').permit?.signal);
      await latch.opened;
      return c.body(null);
    });
    const aborter = new AbortController();
    const answer = app.request('/', { signal: aborter.signal });
    await counts(limit, 1);
    aborter.abort();
    expect(signals[0]?.reason).toMatchObject({ code: 'ERR_HEADGATE_DISCONNECTED' });
    expect(limit.holders).toBe(1);
    latch.open();
    await answer;
  });

  it("releases a disconnected client's permit immediately with onDisconnect: 'release'", async () => {
    const latch = new Latch();
    const { app, limit } = appOf(
      async (c) => {
        await latch.opened;
        return c.body(null);
      },
      { onDisconnect: 'release' },
    );
    const aborter = new AbortController();
    const answer = app.request('/', { signal: aborter.signal });
    await counts(limit, 1);
    aborter.abort();
    await counts(limit, 0);
    latch.open();
    await answer;
  });
});
