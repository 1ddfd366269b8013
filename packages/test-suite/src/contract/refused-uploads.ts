import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { pump, size } from '../kit/upload.ts';
import type { World } from '../kit/world.ts';

/** What becomes of the connection over which an upload came that was refused. */
export function refusedUploads(world: World): void {
  it('serves the next request on it where the upload was whole', async () => {
    const clock = new ManualClock();
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
    // Longer than a connection is kept for the rest of an upload.
    clock.advance(1200);
    work.finishAll();
    expect(await slow.answer()).toMatchObject({ status: 200, body: '/slow' });
    expect(await app.call('/other', { agent: agents[0] }).answer()).toMatchObject({ status: 200 });
    expect(app.sockets).toHaveLength(3);
  });

  it('is not read on where the request was paused', async () => {
    const work = new Paused();
    const clock = new ManualClock();
    const limit = world.limit({ limit: 1, clock });
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
    raw.request('POST /upload', `Content-Length: ${size}`);
    const sent = pump(raw.socket);
    await raw.receives(/HTTP\/1\.1 503/);
    await raw.untilClosed(clock);
    expect((app.sockets[1] as Socket).bytesRead).toBeLessThan(256 * 1024);
    expect(sent.bytes).toBeLessThan(size / 4);
    work.finishAll();
    await holder.answer();
  });

  it('is left alone where onReject reads the upload itself', async () => {
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
