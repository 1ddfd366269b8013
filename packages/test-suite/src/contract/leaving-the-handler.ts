import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { Paused } from '../kit/handlers.ts';
import { ManualClock } from '../kit/manual-clock.ts';
import { aRound, counts, until } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

type Register = (name: string, test: () => Promise<void>) => unknown;

export function leavingTheHandler(world: World): void {
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

  // A promise that the framework cannot give is no test of it.
  const { tracksHandlers } = world.framework.can;
  const tracked: Register = (name, test) => tracksHandlers && it(name, test);
  const untracked: Register = (name, test) => !tracksHandlers && it(name, test);

  tracked("holds a leaver's place for as long as its handler works", async () => {
    const clock = new ManualClock();
    const { limit, work, holder } = await busy(world, { clock });
    holder.abort();
    await disconnected(work);
    clock.advance(3_600_000);
    expect(limit.inflight).toBe(1);
    work.finish();
    await counts(limit, 0);
  });

  untracked(
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

  untracked(
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

  untracked('waits no longer for a sign of the handler once there was one', async () => {
    const clock = new ManualClock();
    const { limit, work, holder } = await busy(world, { clock });
    const idle = clock.timers;
    holder.abort();
    await disconnected(work);
    expect(clock.timers).toBe(idle + 1);
    work.finish();
    await counts(limit, 0);
    expect(clock.timers).toBe(idle);
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
