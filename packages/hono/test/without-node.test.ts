import { counts, Latch, VirtualClock } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { appsWithoutNode } from './without-node.ts';

describe('Hono without Node', () => {
  const appOf = appsWithoutNode();

  it('admits, queues and rejects', async () => {
    const latch = new Latch();
    const { app, limit } = appOf(
      async (c) => {
        await latch.opened;
        return c.text(c.req.path);
      },
      { queueLimit: 1 },
    );
    const answers = [app.request('/a'), app.request('/b')];
    await counts(limit, 1, 1);
    const refused = await app.request('/c');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    latch.open();
    // The second is admitted when the first one's body has been read.
    expect(await (await answers[0])?.text()).toBe('/a');
    expect(await (await answers[1])?.text()).toBe('/b');
  });

  it('holds the permit until the body has been read', async () => {
    let source!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        source = controller;
      },
    });
    const { app, limit } = appOf((c) => c.body(body));
    const response = await app.request('/');
    source.enqueue(new TextEncoder().encode('one '));
    await aRound();
    expect(limit.holders).toBe(1);
    source.enqueue(new TextEncoder().encode('two'));
    source.close();
    expect(await response.text()).toBe('one two');
    await counts(limit, 0);
  });

  it('releases the permit when the body is cancelled, and cancels its source', async () => {
    const cancelled: unknown[] = [];
    const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
    const { app, limit } = appOf((c) => c.body(body));
    const response = await app.request('/');
    expect(limit.holders).toBe(1);
    await response.body?.cancel('gone');
    await counts(limit, 0);
    expect(cancelled).toEqual(['gone']);
  });

  it('releases the permit when the body fails', async () => {
    const body = new ReadableStream({
      pull() {
        throw new Error('broken');
      },
    });
    const { app, limit } = appOf((c) => c.body(body));
    const response = await app.request('/');
    await expect(response.text()).rejects.toThrow('broken');
    await counts(limit, 0);
  });

  it('does not read a body before the client requests it', async () => {
    let pulls = 0;
    const body = new ReadableStream(
      {
        pull() {
          pulls++;
        },
      },
      { highWaterMark: 0 },
    );
    const { app } = appOf((c) => c.body(body));
    const response = await app.request('/');
    await aRound();
    expect(pulls).toBeLessThanOrEqual(1);
    await response.body?.cancel();
  });

  it('keeps the status, headers and cookies of a response when it wraps the body', async () => {
    const { app } = appOf((c) => {
      c.header('Set-Cookie', 'a=1', { append: true });
      c.header('Set-Cookie', 'b=2', { append: true });
      c.header('X-Own', 'yes');
      return c.text('body', 201);
    });
    const response = await app.request('/');
    expect(response.status).toBe(201);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-own')).toBe('yes');
    expect(await response.text()).toBe('body');
  });

  it('releases the permit of a HEAD request even though its body is not read', async () => {
    const { app, limit } = appOf((c) => c.text('never read'));
    for (const _ of [1, 2]) {
      expect((await app.request('/', { method: 'HEAD' })).status).toBe(200);
      await counts(limit, 0);
    }
  });

  it.each([false, true])(
    'passes on a response with status 101 unchanged (headers: %s)',
    async (headers) => {
      // Workers have such responses; Node cannot construct one.
      const upgraded = Object.defineProperty(new Response(''), 'status', { value: 101 });
      const { app, limit } = appOf(() => upgraded, { headers });
      expect(await app.request('/')).toBe(upgraded);
      await counts(limit, 0);
    },
  );

  it('adds its fields to a response with immutable headers', async () => {
    const { app } = appOf(() => Response.redirect('https://example.com/', 302), { headers: true });
    const response = await app.request('/');
    expect(response.status).toBe(302);
    expect(response.headers.get('ratelimit')).toMatch(/^"unnamed";r=[01]$/);
  });

  it('admits a WebSocket upgrade on Node, where there is no response to observe', async () => {
    const { app, limit } = appOf((c) => c.body(null));
    const env = { incoming: { headers: {}, socket: null }, outgoing: undefined };
    expect((await app.request('/', {}, env)).status).toBe(200);
    await counts(limit, 0);
  });

  it('releases the permit when the handler fails', async () => {
    const { app, limit } = appOf(() => {
      throw new Error('broken');
    });
    for (const _ of [1, 2]) {
      const response = await app.request('/');
      expect(response.status).toBe(500);
      expect(await response.text()).toBe('broken');
      await counts(limit, 0);
    }
  });

  it('releases the permit when the handler throws a value that is not an Error', async () => {
    const { app, limit } = appOf(() => {
      throw 'text';
    });
    await expect(app.request('/')).rejects.toBe('text');
    await counts(limit, 0);
  });

  it('rejects a waiter after queueTimeout', async () => {
    const clock = new VirtualClock();
    const latch = new Latch();
    const { app, limit } = appOf(
      async (c) => {
        await latch.opened;
        return c.body(null);
      },
      { queueLimit: 1, queueTimeout: 100, clock },
    );
    const holder = app.request('/');
    const waiter = app.request('/');
    await counts(limit, 1, 1);
    clock.advance(100);
    expect((await waiter).status).toBe(503);
    latch.open();
    await holder;
  });

  it('acquires one permit if the same middleware is used twice', async () => {
    const { app, limit } = appOf((c) => c.text('ok'));
    const outer = new Hono().use(limit).route('/', app);
    expect(await (await outer.request('/')).text()).toBe('ok');
    expect(limit.stats().admitted).toBe(1);
  });
});
