import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { aRound } from '../kit/until.ts';
import { pump, UPLOAD_BYTES } from '../kit/upload.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

/** The connection of a rejected upload. */
export function rejectedUploads(world: World): void {
  it('serves the next request if the upload was received completely', async () => {
    const clock = new VirtualClock();
    const { app, work, holder } = await busy(world, { clock });
    const refused = async (length: number) => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      world.later(() => agent.destroy());
      const upload = { method: 'POST', body: 'x'.repeat(length), agent };
      const answer = { status: 503, headers: { connection: 'keep-alive' } };
      expect(await app.call('/', upload).answer()).toMatchObject(answer);
      return agent;
    };
    const agents = [await refused(64 * 1024), await refused(70_000)] as const;
    work.finish();
    await holder.answer();
    const slow = app.call('/slow', { agent: agents[1] });
    await work.begins(2);
    // Longer than a connection waits for the rest of an upload.
    clock.advance(1200);
    work.finishAll();
    expect(await slow.answer()).toMatchObject({ status: 200, body: '/slow' });
    expect(await app.call('/other', { agent: agents[0] }).answer()).toMatchObject({ status: 200 });
    expect(app.sockets).toHaveLength(3);
  });

  it.each<[string, string[], string, 'keep-alive' | 'close']>([
    ['short', ['Content-Length: 1000'], 'x'.repeat(1000), 'keep-alive'],
    ['of 128 KiB', ['Content-Length: 131072'], 'x'.repeat(131_072), 'keep-alive'],
    ['of 200 kB', ['Content-Length: 200000'], 'x'.repeat(200_000), 'close'],
    ['of 1 MB', ['Content-Length: 1000000'], 'x'.repeat(1_000_000), 'close'],
    ['in one chunk', ['Transfer-Encoding: chunked'], chunked(1000), 'close'],
    ['in large chunks', ['Transfer-Encoding: chunked'], chunked(300_000), 'close'],
    ['that begins later', ['Content-Length: 1000'], '', 'keep-alive'],
    ['that asks first', ['Content-Length: 1000', 'Expect: 100-continue'], '', 'close'],
  ])(
    'announces correctly whether the connection is kept or closed after an upload %s',
    async (_, headers, body, connection) => {
      const clock = new VirtualClock();
      const { app, work, holder } = await busy(world, { clock });
      const raw = app.raw();
      raw.request('POST /upload', ...headers);
      raw.socket.write(body);
      await raw.receives(/HTTP\/1\.1 503[\s\S]*\}$/);
      expect(/connection: (\S+)/i.exec(raw.received)?.[1]).toBe(connection);
      if (connection === 'keep-alive') {
        clock.advance(10_000);
        if (body === '') {
          // Longer than Hono's server waits for the rest of an upload.
          await sleep(600);
          raw.socket.write('x'.repeat(1000));
        }
        raw.request('GET /next');
        await raw.receives(/503[\s\S]*503[\s\S]*\}$/);
      } else await raw.untilClosed(clock);
      await raw.destroy();
      work.finishAll();
      await holder.answer();
    },
  );

  it.each([200_000, 1_000_000])(
    'serves each request of a single-connection client after an upload of %i bytes',
    async (length) => {
      const clock = new VirtualClock();
      const { app, work, holder } = await busy(world, { clock });
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      world.later(() => agent.destroy());
      const upload = { method: 'POST', body: 'x'.repeat(length), agent };
      expect(await app.call('/', upload).answer()).toMatchObject({ status: 503 });
      work.finish();
      await holder.answer();
      const slow = app.call('/slow', { agent });
      await work.begins(2);
      clock.advance(10_000);
      await aRound();
      work.finishAll();
      expect(await slow.answer()).toMatchObject({ status: 200, body: '/slow' });
    },
  );

  it('does not read further if the request was paused', async () => {
    const work = new Paused();
    const clock = new VirtualClock();
    const limit = world.limit({ limit: 1, queueLimit: 0, clock });
    const app = await world.serveThrough(
      (listener) => (req, res) => {
        if (req.method === 'POST') req.pause();
        listener(req, res);
      },
      { use: limit },
      { handle: work.handler },
    );
    const holder = app.call('/holder');
    await work.begins(1);
    const raw = app.raw();
    raw.request('POST /upload', `Content-Length: ${UPLOAD_BYTES}`);
    const sent = pump(raw.socket);
    await raw.receives(/HTTP\/1\.1 503/);
    await raw.untilClosed(clock);
    expect((app.sockets[1] as Socket).bytesRead).toBeLessThan(256 * 1024);
    expect(sent.bytes).toBeLessThan(UPLOAD_BYTES / 4);
    work.finishAll();
    await holder.answer();
  });

  it('does not drain an upload that onReject reads itself', async () => {
    let read = 0;
    const { app, work, holder } = await busy(world, {
      async onReject(_, { incoming, send }) {
        incoming.on('data', ({ length }: Buffer) => {
          read += length;
        });
        if (incoming.method === 'POST') await once(incoming, 'data');
        send(503, 'busy');
      },
    });
    const raw = app.raw();
    raw.request('POST /upload', 'Content-Length: 300000');
    raw.socket.write('x'.repeat(10_000));
    await raw.receives(/HTTP\/1\.1 503[\s\S]*busy/);
    raw.socket.write('x'.repeat(290_000));
    raw.request('GET /next');
    await raw.receives(/503[\s\S]*503[\s\S]*busy/);
    expect(read).toBe(300_000);
    await raw.destroy();
    work.finishAll();
    await holder.answer();
  });
}

function chunked(length: number): string {
  return `${length.toString(16)}\r\n${'x'.repeat(length)}\r\n0\r\n\r\n`;
}
