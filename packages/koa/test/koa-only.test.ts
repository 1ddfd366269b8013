import { PassThrough } from 'node:stream';
import { concurrencyLimit } from '@headgate/koa';
import { counts, Latch, until, worldOfEachTest } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import Koa from 'koa';
import Koa2 from 'koa2';
import { describe, expect, it } from 'vitest';
import { koaFramework } from './framework.ts';

describe.each([
  ['Koa 3', Koa],
  ['Koa 2', Koa2 as unknown as typeof Koa],
])('%s only', (name, Version) => {
  const world = worldOfEachTest(koaFramework(name, Version));

  it('holds the permit until the handler has settled, even if the response has ended', async () => {
    const latch = new Latch();
    const limit = world.limit({ limit: 1 });
    const app = await world.serve(
      { use: limit },
      {
        async handle({ outgoing }) {
          outgoing.end('early');
          await latch.opened;
        },
      },
    );
    expect(await app.call().answer()).toMatchObject({ body: 'early' });
    await aRound();
    expect(limit.holders).toBe(1);
    latch.open();
    await counts(limit, 0);
  });

  it('holds the permit of a response that bypasses Koa', async () => {
    const body = new PassThrough();
    const limit = world.watch(concurrencyLimit({ limit: 1 }));
    const koa = new Version().use(limit);
    koa.use((ctx) => {
      ctx.respond = false;
      body.pipe(ctx.res);
    });
    const app = await world.serveThrough(() => koa.callback());
    const call = app.call();
    body.write('one ');
    await call.response;
    expect(limit.holders).toBe(1);
    body.end('two');
    expect(await call.answer()).toMatchObject({ body: 'one two' });
  });

  it('shows the response to a rejected request to outer middleware', async () => {
    const latch = new Latch();
    const seen: unknown[] = [];
    const limit = world.watch(concurrencyLimit({ limit: 1, queueLimit: 0 }));
    const koa = new Version();
    koa.use(async (ctx, next) => {
      await next();
      seen.push([ctx.status, ctx.res.hasHeader('Retry-After')]);
      ctx.set('X-Around', 'yes');
    });
    koa.use(limit).use(async (ctx) => {
      await latch.opened;
      ctx.body = 'ok';
    });
    const app = await world.serveThrough(() => koa.callback());
    const holder = app.call();
    await counts(limit, 1);
    const { headers } = await app.call().answer();
    expect(headers['x-around']).toBe('yes');
    latch.open();
    await holder.answer();
    expect(seen).toEqual([
      [503, true],
      [200, false],
    ]);
  });

  it('holds the outer permit while outer middleware still runs after the inner limit', async () => {
    const [begun, inside, after] = [new Latch(), new Latch(), new Latch()];
    const limited = () => world.watch(concurrencyLimit({ limit: 1 }));
    const [outer, inner] = [limited(), limited()];
    const koa = new Version().use(outer);
    koa.use(async (_ctx, next) => {
      await next();
      await after.opened;
    });
    koa.use(inner).use(async () => {
      begun.open();
      await inside.opened;
    });
    const app = await world.serveThrough(() => koa.callback());
    const abortedCall = app.call();
    await begun.opened;
    abortedCall.abort();
    await until(() => app.sockets[0]?.closed === true);
    inside.open();
    await aRound();
    expect([outer.holders, inner.holders]).toEqual([1, 0]);
    after.open();
    await counts(outer, 0);
  });

  it('shows status 499 to outer middleware if the client disconnects in the queue', async () => {
    const latch = new Latch();
    const seen: unknown[] = [];
    const limit = world.watch(concurrencyLimit({ limit: 1, queueLimit: 1 }));
    const koa = new Version();
    koa.use(async (ctx, next) => {
      await next();
      seen.push(ctx.status);
    });
    koa.use(limit).use(async (ctx) => {
      await latch.opened;
      ctx.body = 'ok';
    });
    const app = await world.serveThrough(() => koa.callback());
    const holder = app.call();
    await counts(limit, 1);
    const abortedCall = app.call();
    await counts(limit, 1, 1);
    abortedCall.abort();
    await until(() => seen.length === 1);
    latch.open();
    await holder.answer();
    await until(() => seen.length === 2);
    expect(seen).toEqual([499, 200]);
  });
});
