import http from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { aRound, counts, until } from '../kit/until.ts';
import { bytesRead, pump, UPLOAD_BYTES } from '../kit/upload.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

/** 64 kB are drained, and Node reads and buffers more before it stops. */
const MAX_BYTES_READ = 256 * 1024;

export function uploads(world: World): void {
  it.each([
    ['', `Content-Length: ${UPLOAD_BYTES}`],
    [' in chunks', 'Transfer-Encoding: chunked'],
  ])('rejects a large upload%s without draining it', async (_, header) => {
    const clock = new VirtualClock();
    const { app, work, holder } = await busy(world, { clock });
    const raw = app.raw();
    raw.request('POST /upload', header);
    const sent = pump(raw.socket, header.includes('chunked'));
    await raw.receives(/HTTP\/1\.1 503/);
    await raw.receives(/\}$/);
    expect(raw.received).toMatch(/retry-after: \d/i);
    await raw.untilClosed(clock);
    const socket = app.sockets[1] as Socket;
    await until(() => socket.destroyed);
    expect(socket.bytesRead).toBeLessThan(MAX_BYTES_READ);
    expect(sent.bytes).toBeLessThan(UPLOAD_BYTES / 4);
    work.finishAll();
    await holder.answer();
  });

  it('rejects a large upload after queueTimeout', async () => {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1, clock });
    const raw = app.raw();
    raw.request('POST /upload', `Content-Length: ${UPLOAD_BYTES}`);
    pump(raw.socket);
    await counts(limit, 1, 1);
    clock.advance(2000);
    await raw.receives(/HTTP\/1\.1 503/);
    await raw.untilClosed(clock);
    expect((app.sockets[1] as Socket).bytesRead).toBeLessThan(MAX_BYTES_READ);
    work.finishAll();
    await holder.answer();
  });

  it('does not drain a large upload if onReject responds', async () => {
    const onReject = (_: unknown, context: SuiteContext) => context.send(503, 'busy');
    const clock = new VirtualClock();
    const { app, work, holder } = await busy(world, { onReject, clock });
    const raw = app.raw();
    raw.request('POST /upload', `Content-Length: ${UPLOAD_BYTES}`);
    pump(raw.socket);
    await raw.receives(/HTTP\/1\.1 503[\s\S]*busy/);
    await raw.untilClosed(clock);
    expect((app.sockets[1] as Socket).bytesRead).toBeLessThan(MAX_BYTES_READ);
    work.finishAll();
    await holder.answer();
  });

  it('well-behaved clients receive the response in the middle of their upload', async () => {
    const { app, work, holder } = await busy(world);
    const body = Buffer.alloc(16 * 1024 * 1024);
    for (let round = 0; round < 3; round++) {
      const fetched = await fetch(app.url, { method: 'POST', body });
      expect(fetched.status).toBe(503);
      expect(await fetched.json()).toMatchObject({ reason: 'full' });
      const called = await app.call('/', { method: 'POST', body }).answer();
      expect(called).toMatchObject({ status: 503, body: expect.stringContaining('full') });
    }
    work.finishAll();
    await holder.answer();
  });

  it('a client that reads late still receives the response', async () => {
    const { app, work, holder } = await busy(world);
    const raw = app.raw();
    raw.socket.pause();
    raw.request('POST /upload', `Content-Length: ${UPLOAD_BYTES}`);
    pump(raw.socket);
    await until(() => bytesRead(raw.socket, app.sockets[1]) > 64 * 1024);
    await aRound();
    raw.socket.resume();
    await raw.receives(/HTTP\/1\.1 503[\s\S]*\}$/);
    await raw.destroy();
    work.finishAll();
    await holder.answer();
  });

  it('a client that reads only after its upload receives the response', async () => {
    const { app, work, holder } = await busy(world);
    const raw = app.raw();
    raw.socket.pause();
    raw.request('POST /upload', 'Content-Length: 60000');
    raw.socket.write('x'.repeat(60_000));
    await until(() => bytesRead(raw.socket, app.sockets[1]) > 60_000);
    raw.socket.resume();
    await raw.receives(/HTTP\/1\.1 503[\s\S]*\}$/);
    await raw.destroy();
    work.finishAll();
    await holder.answer();
  });

  it('keeps the connection of a small upload', async () => {
    const { app, work, holder } = await busy(world);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    world.later(() => agent.destroy());
    const upload = { method: 'POST', body: 'x'.repeat(1000), agent };
    expect(await app.call('/', upload).answer()).toMatchObject({ status: 503 });
    expect(await app.call('/', upload).answer()).toMatchObject({ status: 503 });
    expect(app.sockets).toHaveLength(2);
    work.finishAll();
    await holder.answer();
    expect(await app.call('/', upload).answer()).toMatchObject({ status: 200 });
  });

  it('preserves the body of a queued request', async () => {
    const body = 'x'.repeat(300_000);
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serve(
      { use: limit },
      {
        async handle(context) {
          if (context.path === '/holder') return work.handler(context);
          const { length } = await context.body();
          context.send(200, String(length));
        },
      },
    );
    const holder = app.call('/holder');
    await work.begins(1);
    const waiter = app.call('/waiter', { method: 'POST', body });
    await counts(limit, 1, 1);
    work.finishAll();
    expect(await waiter.answer()).toMatchObject({ status: 200, body: String(body.length) });
    await holder.answer();
  });

  it('releases the permit when a handler responds without reading the upload', async () => {
    const limit = world.limit({ limit: 1 });
    const app = await world.serve({ use: limit }, { handle: ok });
    const raw = app.raw();
    raw.request('POST /upload', `Content-Length: ${UPLOAD_BYTES}`);
    raw.socket.write('x'.repeat(100_000));
    await raw.receives(/200 OK/);
    await counts(limit, 0);
    await raw.destroy();
  });

  it('releases the permit when an unread upload is aborted', async () => {
    const { app, limit, work, holder } = await busy(world, { limit: 2, queueLimit: 1 });
    const raw = app.raw();
    raw.request('POST /handled', `Content-Length: ${UPLOAD_BYTES}`);
    await counts(limit, 2);
    raw.socket.write('x'.repeat(500_000));
    const waiting = app.raw();
    waiting.request('POST /waiting', `Content-Length: ${UPLOAD_BYTES}`);
    waiting.socket.write('x'.repeat(500_000));
    await counts(limit, 2, 1);
    await raw.destroy();
    await waiting.destroy();
    work.finishAll();
    await holder.answer();
    await counts(limit, 0, 0);
  });
}
