import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { SuiteContext, SuiteHandler } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { aRound, counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

type Register = (name: string, test: () => Promise<void>) => unknown;

export function leavingTheHandler(world: World): void {
  it("holds a disconnected client's permit until its handler has responded", async () => {
    const { limit, work, holder } = await busy(world, { clock: new VirtualClock() });
    holder.abort();
    await disconnected(work);
    expect(limit.stats()).toMatchObject({ holders: 1, abandoned: 1 });
    work.finish();
    await counts(limit, 0);
    expect(limit.stats().abandoned).toBe(0);
  });

  it("releases a disconnected client's permit immediately with onDisconnect: 'release'", async () => {
    const { limit, work, holder } = await busy(world, { onDisconnect: 'release' });
    holder.abort();
    await counts(limit, 0);
    expect(limit.stats()).toMatchObject({ admitted: 1, withdrawn: 0, leaked: 0 });
    work.finish();
    await aRound();
  });

  const { tracksHandlers } = world.framework.can;
  const tracked: Register = (name, test) => tracksHandlers && it(name, test);
  const untracked: Register = (name, test) => !tracksHandlers && it(name, test);

  tracked("holds a disconnected client's permit until its handler has settled", async () => {
    const clock = new VirtualClock();
    const { limit, work, holder } = await busy(world, { clock });
    holder.abort();
    await disconnected(work);
    clock.advance(3_600_000);
    expect(limit.holders).toBe(1);
    work.finish();
    await counts(limit, 0);
  });

  untracked(
    "holds a disconnected client's permit until a later request of its route has been answered",
    async () => {
      const clock = new VirtualClock();
      const { app, limit, work, holder } = await busy(world, { limit: 2, clock });
      holder.abort();
      await disconnected(work);
      const later = app.call('/holder');
      await work.begins(2);
      expect(limit.stats()).toMatchObject({ holders: 2, abandoned: 1 });
      work.finish(1);
      await later.answer();
      await counts(limit, 0);
      work.finishAll();
      await aRound();
    },
  );

  untracked(
    "holds a disconnected client's permit although a later request of its route has been refused with 400",
    async () => {
      const clock = new VirtualClock();
      const work = new Paused();
      const limit = world.limit({ limit: 2, clock });
      const handle: SuiteHandler = (context) =>
        context.header('invalid') === undefined ? work.handler(context) : context.send(400);
      const app = await world.serve({ use: limit }, { path: '/work', handle });
      const holder = app.call('/work');
      await work.begins(1);
      holder.abort();
      await disconnected(work);
      expect((await app.call('/work', { headers: { invalid: 'yes' } }).answer()).status).toBe(400);
      await counts(limit, 1);
      work.finish();
      await counts(limit, 0);
    },
  );

  untracked(
    "holds a disconnected client's permit although Node reads the state of the response when its header is sent",
    async () => {
      const { app, limit, work, holder } = await busy(world, { clock: new VirtualClock() });
      app.ignoreErrors();
      holder.abort();
      await disconnected(work);
      work.begun[0]?.outgoing.flushHeaders();
      expect(limit.holders).toBe(1);
      work.begun[0]?.outgoing.end();
      await counts(limit, 0);
      work.finish();
    },
  );

  untracked("holds a disconnected client's permit for at most 30 seconds", async () => {
    const clock = new VirtualClock();
    const { limit, work, holder } = await busy(world, { clock });
    const idle = clock.armed;
    holder.abort();
    await disconnected(work);
    expect(limit.holders).toBe(1);
    clock.advance(30_000);
    expect([limit.holders, clock.armed]).toEqual([0, idle]);
    work.finish();
    await aRound();
  });

  untracked("releases a disconnected client's permit once its handler sees that", async () => {
    const clock = new VirtualClock();
    const { limit, work, holder } = await busy(world, { clock });
    holder.abort();
    await disconnected(work);
    expect(limit.holders).toBe(1);
    expect(work.begun[0]?.outgoing?.destroyed).toBe(true);
    expect(limit.stats()).toMatchObject({ holders: 0, abandoned: 0 });
    work.finish();
    await aRound();
  });

  it("aborts the permit's signal when the client disconnects", async () => {
    const { work, holder } = await busy(world);
    const signal = work.begun[0]?.admission?.permit?.signal;
    expect(signal?.aborted).toBe(false);
    holder.abort();
    await until(() => signal?.aborted === true);
    expect(signal?.reason).toMatchObject({ code: 'ERR_HEADGATE_DISCONNECTED' });
    work.finish();
  });

  it('a signal that is first read after the disconnect is already aborted', async () => {
    const { work, holder } = await busy(world);
    holder.abort();
    await disconnected(work);
    expect(work.begun[0]?.admission?.permit?.signal.aborted).toBe(true);
    work.finish();
  });

  it('does not abort the signal of a request that completes', async () => {
    const { limit, work, holder } = await busy(world);
    const signal = work.begun[0]?.admission?.permit?.signal;
    work.finish();
    await holder.answer();
    await counts(limit, 0);
    await aRound();
    expect(signal?.aborted).toBe(false);
  });

  it('releases the permit of a client that disconnects in the middle of a stream', async () => {
    const body = new PassThrough();
    const limit = world.limit({ limit: 1 });
    const app = await world.serve({ use: limit }, { handle: (context) => context.stream(body) });
    // Some frameworks handle the disconnect during a stream as an error.
    app.ignoreErrors();
    const call = app.call();
    body.write('one');
    await call.response;
    expect(limit.holders).toBe(1);
    call.abort();
    await counts(limit, 0);
  });

  it('leaks no permit when many clients connect and disconnect', async () => {
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

/** Waits until the server has noticed the disconnect of the first client, and has run its listeners. */
async function disconnected(work: Paused): Promise<void> {
  await until(() => {
    // Not the state of the response: a handler that reads it after the disconnect is done.
    const { incoming, admission } = work.begun[0] as Partial<SuiteContext>;
    if (incoming === undefined) return admission?.permit?.signal.aborted === true;
    return incoming.socket.readyState === 'closed';
  });
  await aRound();
}
