import { expect, it } from 'vitest';
import { busy, callWhileBusy } from '../kit/busy.ts';
import { browser } from '../kit/call.ts';
import { Paused } from '../kit/handlers.ts';
import { counts } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function rejection(world: World): void {
  it('rejects a request beyond the limit with 503 and Retry-After', async () => {
    const { status, headers } = await callWhileBusy(world);
    expect(status).toBe(503);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(headers['cache-control']).toBe('no-store');
    expect(headers.connection).toBe('close'); // The client requested that.
  });

  it('rejects a request when the queue is full, and runs no handler for it', async () => {
    const { app, limit, work } = await busy(world, { queueLimit: 1 });
    const waiter = app.call('/waiter');
    await counts(limit, 1, 1);
    const third = await app.call('/third').answer();
    expect(third.status).toBe(503);
    expect(JSON.parse(third.body)).toMatchObject({ reason: 'full' });
    work.finishAll();
    expect(await waiter.answer()).toMatchObject({ status: 200 });
    expect(work.paths).toEqual(['/holder', '/waiter']);
    expect(limit.stats().rejected).toMatchObject({ full: 1, timeout: 0 });
  });

  it('rejects a waiter after queueTimeout', async () => {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, {
      ...{ queueLimit: 1, queueTimeout: 500, clock },
    });
    const waiter = app.call('/waiter');
    await counts(limit, 1, 1);
    clock.advance(499);
    expect(limit.queued).toBe(1);
    clock.advance(1);
    expect(limit.queued).toBe(0);
    const { status, headers, body } = await waiter.answer();
    expect(status).toBe(503);
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(body)).toMatchObject({ reason: 'timeout' });
    work.finishAll();
    await holder.answer();
    expect(work.paths).toEqual(['/holder']);
    expect(limit.stats().rejected).toMatchObject({ full: 0, timeout: 1 });
  });

  it('keeps the connection of a rejected client', async () => {
    const { app, work, holder } = await busy(world);
    const raw = app.raw();
    raw.request('GET /a');
    await raw.receives(/503/);
    work.finishAll();
    await holder.answer();
    raw.request('GET /b');
    await raw.receives(/200 OK/);
    await raw.destroy();
  });

  it('sets Content-Length', async () => {
    const { headers, body } = await callWhileBusy(world);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });

  it('keeps the headers that earlier middleware has set, CORS headers in particular', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 0 });
    const app = await world.serveThrough(
      (listener) => (req, res) => {
        res.setHeader('Access-Control-Expose-Headers', 'Retry-After');
        listener(req, res);
      },
      { use: limit },
      { handle: work.handler },
    );
    const holder = app.call();
    await work.begins(1);
    const { status, headers } = await app.call().answer();
    expect(status).toBe(503);
    expect(headers['access-control-expose-headers']).toBe('Retry-After');
    work.finishAll();
    await holder.answer();
  });

  it('responds even if middleware has replaced writeHead with a function that returns nothing', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 0 });
    const app = await world.serveThrough(
      (listener) => (req, res) => {
        const { writeHead } = res;
        res.writeHead = ((...args: Parameters<typeof writeHead>) => {
          writeHead.apply(res, args);
        }) as typeof writeHead;
        listener(req, res);
      },
      { use: limit },
      { handle: work.handler },
    );
    const holder = app.call();
    await work.begins(1);
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    work.finishAll();
    await holder.answer();
  });

  it.each([browser, '*/*', 'text/plain'])(
    'reflects nothing that a client sent in a response of %s',
    async (accept) => {
      const marker = 'm4rk3r';
      const headers = { Accept: `${accept},x/${marker}`, 'X-Marker': marker, Cookie: marker };
      const { headers: answered, body } = await callWhileBusy(
        world,
        { headers },
        {},
        `/${marker}?${marker}=1`,
      );
      expect(JSON.stringify(answered) + body).not.toContain(marker);
    },
  );
}
