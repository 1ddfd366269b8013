import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import type { Paused } from '../kit/handlers.ts';
import { aRound, counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

type Register = (name: string, test: () => Promise<void>) => unknown;

export function leavingTheHandler(world: World): void {
  it("holds a disconnected client's permit until its handler has responded", async () => {
    const { limit, work, holder } = await busy(world);
    holder.abort();
    await disconnected(work);
    expect(limit.holders).toBe(1);
    work.finish();
    await counts(limit, 0);
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
    "holds a disconnected client's permit for a second if no request has been answered yet",
    async () => {
      const clock = new VirtualClock();
      const { limit, work, holder } = await busy(world, { clock });
      clock.advance(200);
      holder.abort();
      await disconnected(work);
      clock.advance(799);
      expect(limit.holders).toBe(1);
      clock.advance(1);
      expect(limit.holders).toBe(0);
      work.finish();
      await aRound();
    },
  );

  /** A request at a limit that has measured five seconds for such requests. */
  async function measured() {
    const clock = new VirtualClock();
    const { app, limit, work, holder } = await busy(world, { clock });
    clock.advance(5000);
    work.finish();
    await holder.answer();
    await counts(limit, 0);
    const call = app.call();
    await work.begins(2);
    return { clock, limit, work, call };
  }

  untracked(
    "holds a disconnected client's permit until its request has lasted as long as others",
    async () => {
      const { clock, limit, work, call } = await measured();
      clock.advance(1000);
      call.abort();
      await disconnected(work, 1);
      clock.advance(3999);
      expect(limit.holders).toBe(1);
      clock.advance(1);
      expect(limit.holders).toBe(0);
      work.finish();
      await aRound();
    },
  );

  untracked(
    'releases the permit at once if the client disconnects when its request has lasted longer than others',
    async () => {
      const { clock, limit, work, call } = await measured();
      clock.advance(5000);
      call.abort();
      await counts(limit, 0);
      work.finish();
      await aRound();
    },
  );

  untracked('clears the timer of an abandoned request once its handler has responded', async () => {
    const clock = new VirtualClock();
    const { limit, work, holder } = await busy(world, { clock });
    const idle = clock.armed;
    holder.abort();
    await disconnected(work);
    expect(clock.armed).toBe(idle + 1);
    work.finish();
    await counts(limit, 0);
    expect(clock.armed).toBe(idle);
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

/**
 * Waits until the server has noticed a client's disconnect and run its listeners. Default: the disconnect of the first
 * client.
 */
async function disconnected(work: Paused, index = 0): Promise<void> {
  await until(() => {
    const { outgoing, admission } = work.begun[index] as Partial<SuiteContext>;
    return (outgoing?.destroyed ?? admission?.permit?.signal.aborted) === true;
  });
  await aRound();
}
