import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { Latch } from '../kit/latch.ts';
import { collectErrors } from '../kit/output.ts';
import { aRound, counts, until } from '../kit/until.ts';
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
    expect(Object.values(rejected)).toEqual([0, 0, 0, 0, 0]);
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
