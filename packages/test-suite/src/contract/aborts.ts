import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { Latch } from '../kit/latch.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { aRound, counts, until } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

export function aborts(world: World): void {
  it('takes a client that goes away out of the line, and never runs its handler', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 2 });
    const leaver = app.call('/leaver');
    await counts(limit, 1, 1);
    const stayer = app.call('/stayer');
    await counts(limit, 1, 2);
    leaver.abort();
    await counts(limit, 1, 1);
    const { withdrawn, rejected } = limit.stats();
    expect(withdrawn).toBe(1);
    expect(Object.values(rejected)).toEqual([0, 0, 0, 0, 0]);
    work.finishAll();
    await holder.answer();
    expect(await stayer.answer()).toMatchObject({ status: 200 });
    expect(work.paths).toEqual(['/holder', '/stayer']);
  });

  it('notices a client that goes away whose small upload nobody has read', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
    const leaver = app.call('/leaver', { method: 'POST', body: 'small' });
    await counts(limit, 1, 1);
    leaver.abort();
    await counts(limit, 1, 0);
    expect(limit.stats().withdrawn).toBe(1);
    work.finishAll();
    await holder.answer();
    expect(work.paths).toEqual(['/holder']);
  });

  it('grants nothing to a client that turns out to be gone just then', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
    app.call('/leaver');
    await counts(limit, 1, 1);
    app.sockets[1]?.destroy();
    // Before anybody can hear of it.
    work.begun[0]?.admission?.permit?.release();
    expect(limit.stats()).toMatchObject({ inflight: 0, queued: 0, admitted: 1, withdrawn: 1 });
    work.finishAll();
    await holder.answer();
    await aRound();
    expect(work.paths).toEqual(['/holder']);
  });

  it('asks no place for a client that has gone before', async () => {
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
    const leaver = app.call();
    await arrived.opened;
    leaver.abort();
    await until(() => app.sockets[0]?.closed === true);
    busyTill.open();
    await aRound();
    expect(work.begun).toHaveLength(0);
    expect(limit.stats()).toMatchObject({ admitted: 0, rejected: { full: 0 } });
  });

  it('gives back what a leaver had passed already', async () => {
    const { app, limit, work, holder } = await busy(world, {
      limits: [
        { name: 'user', limit: 1, key: ({ path }) => path },
        { name: 'app', limit: 1 },
      ],
      queueLimit: 9,
    });
    const leaver = app.call('/leaver');
    await counts(limit, 1, 1);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 2, keys: 2 });
    leaver.abort();
    await counts(limit, 1, 0);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 1, keys: 1 });
    work.finishAll();
    await holder.answer();
  });

  it("holds a leaver's place until its handler has answered into the void", async () => {
    const { limit, work, holder } = await busy(world);
    holder.abort();
    await disconnected(work);
    expect(limit.inflight).toBe(1);
    work.finish();
    await counts(limit, 0);
  });

  it("frees a leaver's place at once with onDisconnect: 'release'", async () => {
    const { limit, work, holder } = await busy(world, { onDisconnect: 'release' });
    holder.abort();
    await counts(limit, 0);
    expect(limit.stats()).toMatchObject({ admitted: 1, withdrawn: 0, leaked: 0 });
    work.finish();
    await aRound();
  });

  it.runIf(world.framework.can.tracksHandlers)(
    "holds a leaver's place for as long as its handler works",
    async () => {
      const clock = new ManualClock();
      const { limit, work, holder } = await busy(world, { clock });
      holder.abort();
      await disconnected(work);
      clock.advance(3_600_000);
      expect(limit.inflight).toBe(1);
      work.finish();
      await counts(limit, 0);
    },
  );

  it.skipIf(world.framework.can.tracksHandlers)(
    "gives a leaver's handler up after abandonAfter, since nothing tells when it is done",
    async () => {
      const clock = new ManualClock();
      const { limit, work, holder } = await busy(world, { clock, abandonAfter: 5000 });
      holder.abort();
      await disconnected(work);
      clock.advance(4999);
      expect(limit.inflight).toBe(1);
      clock.advance(1);
      expect(limit.inflight).toBe(0);
      work.finish();
      await aRound();
    },
  );

  it.skipIf(world.framework.can.tracksHandlers)(
    'waits for a sign of the handler at each of two limits that wait for it differently long',
    async () => {
      const clock = new ManualClock();
      const [outer, inner] = [
        world.limit({ limit: 1, clock, abandonAfter: Number.POSITIVE_INFINITY }),
        world.limit({ limit: 1, clock, abandonAfter: 1000 }),
      ];
      const work = new Paused();
      const app = await world.serve({ use: outer }, { use: inner }, { handle: work.handler });
      const leaver = app.call();
      await work.begins(1);
      leaver.abort();
      await disconnected(work);
      clock.advance(1000);
      await counts(inner, 0);
      expect(outer.inflight).toBe(1);
      work.finish();
      await counts(outer, 0);
    },
  );

  it('takes a request out of the line that something else has answered meanwhile', async () => {
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
  });

  it('aborts the signal of the permit when the client goes away', async () => {
    const { work, holder } = await busy(world);
    const signal = work.begun[0]?.admission?.permit?.signal;
    expect(signal?.aborted).toBe(false);
    holder.abort();
    await until(() => signal?.aborted === true);
    expect(signal?.reason).toMatchObject({ code: 'ERR_HEADGATE_DISCONNECTED' });
    work.finish();
  });

  it('says so too to who asks for the signal only then', async () => {
    const { work, holder } = await busy(world);
    holder.abort();
    await disconnected(work);
    expect(work.begun[0]?.admission?.permit?.signal.aborted).toBe(true);
    work.finish();
  });

  it('does not abort the signal of a request that ends well', async () => {
    const { limit, work, holder } = await busy(world);
    const signal = work.begun[0]?.admission?.permit?.signal;
    work.finish();
    await holder.answer();
    await counts(limit, 0);
    await aRound();
    expect(signal?.aborted).toBe(false);
  });

  it('frees the place of a client that goes away in the middle of a stream', async () => {
    const body = new PassThrough();
    const limit = world.limit({ limit: 1 });
    const app = await world.serve({ use: limit }, { handle: (context) => context.stream(body) });
    const call = app.call();
    body.write('one');
    await call.response;
    expect(limit.inflight).toBe(1);
    call.abort();
    await counts(limit, 0);
  });

  it('loses no permit however clients come and go', async () => {
    const limit = world.limit({ limit: 3, queueLimit: 40, queueTimeout: 60_000 });
    let handled = 0;
    const app = await world.serve(
      { use: limit },
      {
        async handle(context) {
          handled++;
          for (let turn = 0; turn < handled % 4; turn++) await aRound();
          context.send(200, 'x'.repeat((handled % 3) * 40_000));
        },
      },
    );
    const calls = [];
    for (let index = 0; index < 120; index++) {
      const call = app.call(`/${index}`, index % 5 === 0 ? { method: 'POST', body: 'body' } : {});
      calls.push(call.answer().catch(() => undefined));
      if (index % 3 === 0) setImmediate(() => call.abort());
      if (index % 7 === 0) setTimeout(() => call.abort(), index % 11);
      if (index % 4 === 0) await aRound();
    }
    await Promise.all(calls);
    await counts(limit, 0, 0);
    expect(limit.stats()).toMatchObject({ admitted: handled, leaked: 0 });
  });
}

/** Waits until the server has noticed that the first client has gone, and whoever listens for that. */
async function disconnected(work: Paused): Promise<void> {
  await until(() => work.begun[0]?.outgoing.closed === true);
  await aRound();
}
