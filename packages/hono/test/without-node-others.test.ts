import { createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/hono';
import { counts, Latch } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { timeout } from 'hono/timeout';
import { describe, expect, it } from 'vitest';

describe('Hono without Node, with other middleware', () => {
  it('acquires one permit of a limiter even if the request object is replaced in between', async () => {
    const limiter = createLimiter({ limit: 1 });
    const app = new Hono().use(concurrencyLimit({ limiter }));
    app.use(bodyLimit({ maxSize: 100 })).use(concurrencyLimit({ limiter }));
    app.post('/', async (c) => c.text(await c.req.text()));
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('streamed'));
        controller.close();
      },
    });
    const options = { method: 'POST', body, duplex: 'half' } as RequestInit;
    const response = await app.request('/', options);
    expect([response.status, await response.text()]).toEqual([200, 'streamed']);
    await counts(limiter, 0);
  });

  it.each([false, true])(
    'releases the permit when the handler finishes after a timeout has replaced its response (headers: %s)',
    async (headers) => {
      const limit = concurrencyLimit({ limit: 1, headers });
      const done = new Latch();
      const errors: string[] = [];
      const app = new Hono().use(timeout(1));
      app.onError((error, c) => {
        errors.push(error.message);
        return c.text(error.message, 504);
      });
      app.use(limit).get('/', async (c) => {
        await done.opened;
        return c.text('late');
      });
      const response = await app.request('/');
      expect([response.status, await response.text()]).toEqual([504, 'Gateway Timeout']);
      expect(limit.holders).toBe(1);
      done.open();
      await counts(limit, 0);
      await aRound();
      expect(errors).toEqual(['Gateway Timeout']);
    },
  );
});
