import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { Latch } from '../kit/latch.ts';
import { collectErrors } from '../kit/output.ts';
import { aRound, counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function leavingTheQueue(world: World): void {
  it('removes a disconnected client from the queue, and never runs its handler', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 2 });
    const abortedCall = app.call('/leaver');
    await counts(limit, 1, 1);
    const stayer = app.call('/stayer');
    await counts(limit, 1, 2);
    abortedCall.abort();
    await counts(limit, 1, 1);
    const { withdrawn, rejected } = limit.stats();
    expect(withdrawn).toBe(1);
    expect(Object.values(rejected)).toEqual([0, 0, 0, 0, 0, 0]);
    work.finishAll();
    await holder.answer();
    expect(await stayer.answer()).toMatchObject({ status: 200 });
    expect(work.paths).toEqual(['/holder', '/stayer']);
  });

  it('notices the disconnect of a client with a small unread upload', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
    const abortedCall = app.call('/leaver', { method: 'POST', body: 'small' });
    await counts(limit, 1, 1);
    abortedCall.abort();
    await counts(limit, 1, 0);
    expect(limit.stats().withdrawn).toBe(1);
    work.finishAll();
    await holder.answer();
    expect(work.paths).toEqual(['/holder']);
  });

  for (const leave of ['destroy', 'resetAndDestroy'] as const) {
    world.itSeesConnections(
      `notices the disconnect of a client that has sent 100 kB of an upload: ${leave}`,
      async () => {
        const clock = new VirtualClock();
        const { app, limit, work, holder } = await busy(world, { queueLimit: 1, clock });
        const raw = app.raw();
        raw.request('POST /leaver', 'Content-Length: 1000000');
        await new Promise((sent) => raw.socket.write(Buffer.alloc(100_000), sent));
        await counts(limit, 1, 1);
        app.ignoreErrors();
        raw.socket[leave]();
        await counts(limit, 1, 0);
        work.finishAll();
        await holder.answer();
        expect(work.paths).toEqual(['/holder']);
      },
    );
  }

  world.itSeesConnections(
    'notices the disconnect of a client whose upload had arrived before the request was queued',
    async () => {
      const work = new Paused();
      const limit = world.limit({ limit: 1, queueLimit: 1, clock: new VirtualClock() });
      const full = new Latch();
      const app = await world.serveThrough(
        (listener) => async (req, res) => {
          if (req.method === 'POST') await full.opened;
          listener(req, res);
        },
        { use: limit },
        { handle: work.handler },
      );
      const holder = app.call('/holder');
      await work.begins(1);
      const raw = app.raw();
      raw.request('POST /leaver', 'Content-Length: 1000000');
      raw.socket.write(Buffer.alloc(100_000));
      await until(() => app.sockets[1]?.isPaused() === true);
      full.open();
      await counts(limit, 1, 1);
      app.ignoreErrors();
      await raw.destroy();
      await counts(limit, 1, 0);
      work.finishAll();
      await holder.answer();
      expect(work.paths).toEqual(['/holder']);
    },
  );

  it('passes the whole body of a queued upload on to the handler', async () => {
    const released = new Latch();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serve(
      { use: limit },
      {
        async handle(context) {
          if (context.path === '/holder') await released.opened;
          context.send(200, await context.body());
        },
      },
    );
    const holder = app.call('/holder', { method: 'POST', body: 'small' });
    await counts(limit, 1);
    const body = Array.from({ length: 50_000 }, (_, index) => `line ${index}`).join();
    const queued = app.call('/queued', { method: 'POST', body });
    await counts(limit, 1, 1);
    await aRound();
    released.open();
    await holder.answer();
    expect((await queued.answer()).body).toBe(body);
  });

  world.itSeesConnections(
    'grants no permit to a client that turns out to be disconnected',
    async () => {
      const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
      app.call('/leaver');
      await counts(limit, 1, 1);
      app.sockets[1]?.destroy();
      // Released before any event of the disconnect.
      work.begun[0]?.admission?.permit?.release();
      expect(limit.stats()).toMatchObject({ holders: 0, queued: 0, admitted: 1, withdrawn: 1 });
      work.finishAll();
      await holder.answer();
      await aRound();
      expect(work.paths).toEqual(['/holder']);
    },
  );

  world.itSeesConnections(
    'requests no permit for a client that has already disconnected',
    async () => {
      const work = new Paused();
      const limit = world.limit({ limit: 1 });
      const [arrived, busyTill] = [new Latch(), new Latch()];
      const app = await world.serveThrough(
        (listener) => async (req, res) => {
          arrived.open();
          await busyTill.opened;
          listener(req, res);
        },
        { use: limit },
        { handle: work.handler },
      );
      const abortedCall = app.call();
      await arrived.opened;
      abortedCall.abort();
      await until(() => app.sockets[0]?.closed === true);
      busyTill.open();
      await aRound();
      expect(work.begun).toHaveLength(0);
      expect(limit.stats()).toMatchObject({ admitted: 0, rejected: { full: 0 } });
    },
  );

  it('releases the permits that a disconnected waiter already holds', async () => {
    const { app, limit, work, holder } = await busy(world, {
      limits: [
        { name: 'user', limit: 1, key: ({ path }) => path },
        { name: 'app', limit: 1 },
      ],
      queueLimit: 9,
    });
    const abortedCall = app.call('/leaver');
    await counts(limit, 1, 1);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 2, keys: 2 });
    abortedCall.abort();
    await counts(limit, 1, 0);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 1, keys: 1 });
    work.finishAll();
    await holder.answer();
  });

  it('removes a request from the queue if other code responds to it', async () => {
    // Hono responds once more when the request is withdrawn.
    const printed = collectErrors(/Cannot write headers/);
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const waiting = new Latch();
    const app = await world.serveThrough(
      (listener) => (req, res) => {
        if (req.url === '/impatient') void waiting.opened.then(() => res.end('that took too long'));
        listener(req, res);
      },
      { use: limit },
      { handle: work.handler },
    );
    const holder = app.call('/holder');
    await work.begins(1);
    const impatient = app.call('/impatient');
    await counts(limit, 1, 1);
    waiting.open();
    expect(await impatient.answer()).toMatchObject({ body: 'that took too long' });
    await counts(limit, 1, 0);
    work.finishAll();
    await holder.answer();
    expect(work.paths).toEqual(['/holder']);
    expect(printed.length).toBeLessThanOrEqual(1);
  });
}
