import { createLimiter } from '@headgate/core';
import { expect, it } from 'vitest';
import { ok, Paused } from '../kit/handlers.ts';
import { collectWarnings } from '../kit/output.ts';
import { counts } from '../kit/until.ts';
import type { World } from '../kit/world.ts';

export function stacked(world: World): void {
  it('acquires one permit of a limiter that is used twice', async () => {
    const limiter = world.watch(createLimiter({ limit: 1 }));
    const [outer, inner] = [world.limit({ limiter }), world.limit({ limiter })];
    const work = new Paused();
    const app = await world.serve({ use: outer }, { use: inner }, { handle: work.handler });
    const call = app.call();
    await work.begins(1);
    expect(limiter.inflight).toBe(1);
    expect([outer.stats().reentered, inner.stats().reentered]).toEqual([0, 1]);
    work.finishAll();
    expect(await call.answer()).toMatchObject({ status: 200 });
    await counts(limiter, 0);
  });

  it('acquires permits for two keys of one limiter', async () => {
    const limiter = world.watch(createLimiter({ limit: 1, perKey: true }));
    const limit = (key: string) => world.limit({ limiter, key: () => key });
    const [outer, inner, again] = [limit('account'), limit('address'), limit('account')];
    const work = new Paused();
    const steps = [{ use: outer }, { use: inner }, { use: again }];
    const app = await world.serve(...steps, { handle: work.handler });
    const call = app.call();
    await work.begins(1);
    expect(limiter.stats()).toMatchObject({ inflight: 2, keys: 2 });
    expect([inner.stats().reentered, again.stats().reentered]).toEqual([0, 1]);
    work.finishAll();
    expect(await call.answer()).toMatchObject({ status: 200 });
    await counts(limiter, 0);
  });

  it('acquires one permit of a middleware that is used twice', async () => {
    const limit = world.limit({ limit: 1 });
    const work = new Paused();
    const steps = [{ use: limit }, { path: '/a', handle: work.handler }];
    const app = await world.serve({ use: limit }, { mount: '/api', steps });
    const call = app.call('/api/a');
    await work.begins(1);
    expect(limit.stats().limits[0]).toMatchObject({ inflight: 1 });
    work.finishAll();
    expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('reuses a limiter for several routes and for work outside HTTP', async () => {
    const limiter = world.watch(createLimiter({ name: 'renders', limit: 1, queueLimit: 0 }));
    const limit = world.limit({ limiter });
    const app = await world.serve({ use: limit }, { handle: ok });
    const permit = await limiter.acquire();
    const { status, body } = await app.call().answer();
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ 'violated-policies': ['renders'] });
    permit.release();
    expect(await app.call().answer()).toMatchObject({ status: 200 });
    await limit.close();
    // The middleware does not close a limiter that it did not make.
    await counts(limiter, 0);
    limiter.tryAcquire()?.release();
    expect(limiter.stats().admitted).toBe(3);
  });

  it("queues in a reused limiter by that limiter's own options", async () => {
    const limiter = world.watch(createLimiter({ limit: 1, queueLimit: 1 }));
    const limit = world.limit({ limiter });
    const app = await world.serve({ use: limit }, { handle: ok });
    const permit = await limiter.acquire();
    const waiter = app.call();
    await counts(limit, 0, 1);
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    permit.release();
    expect(await waiter.answer()).toMatchObject({ status: 200 });
  });

  it('holds permits of two different limits, and releases both', async () => {
    const [outer, inner] = [world.limit({ limit: 2 }), world.limit({ limit: 1, queueLimit: 0 })];
    const work = new Paused();
    const app = await world.serve({ use: outer }, { use: inner }, { handle: work.handler });
    const holder = app.call();
    await work.begins(1);
    expect([outer.holders, inner.holders]).toEqual([1, 1]);
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    await counts(outer, 1);
    work.finishAll();
    await holder.answer();
  });

  it('warns once if a request is queued at one gate while it holds a permit of another', async () => {
    const warnings = collectWarnings('HEADGATE_NESTED_WAIT');
    const outer = world.limit({ name: 'outer', limit: 9 });
    const inner = world.limit({ name: 'inner', limit: 1, queueLimit: 9 });
    const work = new Paused();
    const app = await world.serve({ use: outer }, { use: inner }, { handle: work.handler });
    const calls = [app.call(), app.call(), app.call()];
    await counts(inner, 1, 2);
    expect(outer.holders).toBe(3);
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
    const expected = /queued for "inner" while it holds a permit of "outer".*docs\/errors\.md/;
    expect(warnings).toEqual([expect.stringMatching(expected)]);
  });

  it('releases the outer permit when a client disconnects in the inner queue', async () => {
    const warnings = collectWarnings('HEADGATE_NESTED_WAIT');
    const [outer, inner] = [world.limit({ limit: 9 }), world.limit({ limit: 1, queueLimit: 9 })];
    const work = new Paused();
    const app = await world.serve({ use: outer }, { use: inner }, { handle: work.handler });
    const holder = app.call('/holder');
    await work.begins(1);
    const abortedCall = app.call('/leaver');
    await counts(inner, 1, 1);
    abortedCall.abort();
    await counts(inner, 1, 0);
    await counts(outer, 1);
    work.finishAll();
    await holder.answer();
    expect(work.paths).toEqual(['/holder']);
    expect(warnings.length).toBeLessThanOrEqual(1);
  });
}
