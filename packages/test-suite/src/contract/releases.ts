import { pipeline, Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { SuiteHandler } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import { ok } from '../kit/handlers.ts';
import { Latch } from '../kit/latch.ts';
import { aRound, counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

/** Ways in which a handler can end its response without sending one. */
const endings: Record<string, SuiteHandler> = {
  'response.destroy()': ({ outgoing }) => void outgoing.destroy(),
  'response.destroy(error)': ({ outgoing }) => void outgoing.destroy(new Error('broken')),
  'request.destroy()': ({ incoming }) => void incoming.destroy(),
  'a pipeline that fails': ({ outgoing }) => {
    const broken = new Readable({ read: () => void broken.destroy(new Error('broken')) });
    pipeline(broken, outgoing, () => {});
  },
};

export function releases(world: World): void {
  const endingsOf = world.seesConnections ? Object.entries(endings) : [];

  it.each<[string, SuiteHandler]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('releases the permit when the handler %s', async (_, handle) => {
    const limit = world.limit({ limit: 1 });
    const app = await world.serve({ use: limit }, { handle });
    for (const _ of [1, 2]) {
      expect(await app.call().answer()).toMatchObject({ status: 500 });
      await counts(limit, 0);
    }
    expect(app.errors).toMatchObject([{ message: 'broken' }, { message: 'broken' }]);
  });

  it('releases the permit when the handler of a queued request throws', async () => {
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const latch = new Latch();
    const app = await world.serve(
      { use: limit },
      {
        async handle(context) {
          if (context.path === '/broken') throw new Error('broken');
          await latch.opened;
          context.send(200);
        },
      },
    );
    const holder = app.call('/holder');
    await counts(limit, 1);
    const waiter = app.call('/broken');
    await counts(limit, 1, 1);
    latch.open();
    expect(await waiter.answer()).toMatchObject({ status: 500 });
    expect(await holder.answer()).toMatchObject({ status: 200 });
    expect(app.errors).toMatchObject([{ message: 'broken' }]);
  });

  it.each(endingsOf)(
    'releases the permit immediately when the handler ends its response by %s',
    async (_, end) => {
      const limit = world.limit({ limit: 1, clock: new VirtualClock() });
      const app = await world.serve({ use: limit }, { handle: end });
      app.ignoreErrors();
      await expect(app.call().answer()).rejects.toThrow();
      await counts(limit, 0);
    },
  );

  it.each(endingsOf)(
    'releases the permit of a disconnected client when the handler ends the response by %s',
    async (_, end) => {
      const latch = new Latch();
      const limit = world.limit({ limit: 1, clock: new VirtualClock() });
      const app = await world.serve(
        { use: limit },
        {
          async handle(context) {
            await latch.opened;
            await end(context);
          },
        },
      );
      app.ignoreErrors();
      const call = app.call();
      await counts(limit, 1);
      call.abort();
      await until(() => app.sockets[0]?.closed === true);
      await aRound();
      expect(limit.holders).toBe(1);
      latch.open();
      await counts(limit, 0);
    },
  );

  it('releases the permit of a handler that never responds after maxHold, and reports it', async () => {
    const clock = new VirtualClock();
    const leaks: unknown[] = [];
    const options = { maxHold: 1000, queueLimit: 1, clock };
    const { app, limit, work, holder } = await busy(world, options);
    limit.observe({ leaked: (event) => leaks.push(event) });
    const waiter = app.call('/waiter');
    await counts(limit, 1, 1);
    const signal = work.begun[0]?.admission?.permit?.signal;
    clock.advance(1000);
    await work.begins(2);
    expect(signal?.reason).toMatchObject({ code: 'ERR_HEADGATE_MAX_HOLD' });
    expect(leaks).toMatchObject([{ weight: 1, held: 1000 }]);
    expect(limit.stats().leaked).toBe(1);
    work.finishAll();
    await waiter.answer();
    await holder.answer();
  });

  it('lets a handler release its permit early, and only once', async () => {
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
    const permit = work.begun[0]?.admission?.permit;
    permit?.release();
    permit?.release();
    expect(limit.holders).toBe(0);
    const next = app.call('/next');
    await work.begins(2);
    expect(limit.holders).toBe(1);
    work.finish();
    expect(await holder.answer()).toMatchObject({ body: '/holder' });
    await aRound();
    expect(limit.holders).toBe(1);
    work.finishAll();
    await next.answer();
  });

  it('holds the permit until work passed to waitUntil has settled', async () => {
    const limit = world.limit({ limit: 1 });
    const done = new Latch();
    const app = await world.serve(
      { use: limit },
      {
        handle(context) {
          context.admission?.permit?.waitUntil(done.opened);
          context.send(200);
        },
      },
    );
    await app.call().answer();
    await aRound();
    expect(limit.holders).toBe(1);
    done.open();
    await counts(limit, 0);
  });

  it('reports each event to the observer once', async () => {
    const events: string[] = [];
    const note = (kind: string) => () => events.push(kind);
    const kinds = ['admitted', 'queued', 'rejected', 'withdrawn', 'released'];
    const observer = Object.fromEntries(kinds.map((kind) => [kind, note(kind)]));
    const { app, limit, work, holder } = await busy(world, { queueLimit: 1 });
    limit.observe(observer);
    const waiter = app.call();
    await counts(limit, 1, 1);
    await app.call().answer();
    work.finishAll();
    await holder.answer();
    await waiter.answer();
    await counts(limit, 0);
    expect(events.filter((kind) => kind !== 'released')).toEqual([
      ...['queued', 'rejected', 'admitted'],
    ]);
    expect(events.filter((kind) => kind === 'released')).toHaveLength(2);
  });

  it('still serves requests after many errors', async () => {
    const limit = world.limit({ limit: 2 });
    const app = await world.serve(
      { use: limit },
      {
        handle(context) {
          if (context.path === '/broken') throw new Error('broken');
          ok(context);
        },
      },
    );
    for (let round = 0; round < 10; round++) await app.call('/broken').answer();
    expect(await app.call('/').answer()).toMatchObject({ status: 200 });
    expect(app.errors).toHaveLength(10);
  });
}
