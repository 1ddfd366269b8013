import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import type { SuiteContext } from '../framework.ts';
import { busy } from '../kit/busy.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { counts } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function admission(world: World): void {
  it('admits a request immediately and adds nothing to the response', async () => {
    const handle = (context: SuiteContext) => context.send(200, 'hello', { 'X-Own': 'yes' });
    const bare = await world.serve({ handle });
    const limited = await world.serve({ use: world.limit({ limit: 2 }) }, { handle });
    const expected = await bare.call().answer();
    const actual = await limited.call().answer();
    const undated = ({ date: _, ...headers }: Record<string, unknown>) => headers;
    expect(actual.body).toBe('hello');
    expect(undated(actual.headers)).toEqual(undated(expected.headers));
  });

  it('admits as many requests as the limit allows and no more', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 3, queueLimit: 9 });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = Array.from({ length: 5 }, () => app.call());
    await counts(limit, 3, 2);
    expect(work.begun).toHaveLength(3);
    work.finish();
    await work.begins(4);
    await counts(limit, 3, 1);
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
    expect(limit.stats()).toMatchObject({ admitted: 5, withdrawn: 0, leaked: 0 });
  });

  it('admits queued requests in order of arrival', async () => {
    const { app, limit, work } = await busy(world, { queueLimit: 9 });
    const paths = ['/a', '/b', '/c', '/d'];
    const calls = [];
    for (const path of paths) {
      calls.push(app.call(path));
      await counts(limit, 1, calls.length);
    }
    work.finishAll();
    for (const call of calls) await call.answer();
    expect(work.paths).toEqual(['/holder', ...paths]);
  });

  it('passes the permit and the wait to the handler', async () => {
    const clock = new VirtualClock();
    const { app, limit, work } = await busy(world, { queueLimit: 1, clock });
    const waiter = app.call();
    await counts(limit, 1, 1);
    clock.advance(300);
    work.finish();
    await work.begins(2);
    const [first, second] = work.begun.map((context) => context.admission);
    expect(first).toMatchObject({ waited: 0, permit: { weight: 1, waited: 0 } });
    expect(second).toMatchObject({ waited: 300, permit: { weight: 1, waited: 300 } });
    expect(second?.rejection).toBeUndefined();
    work.finishAll();
    expect(await waiter.answer()).toMatchObject({ status: 200 });
  });

  it('continues a queued request in its own async context', async () => {
    const tenant = new AsyncLocalStorage<unknown>();
    const seen: unknown[] = [];
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 9 });
    const app = await world.serveThrough(
      (listener) => (req, res) => tenant.run(req.headers['x-tenant'], () => listener(req, res)),
      { use: limit },
      {
        async handle(context) {
          seen.push([context.header('x-tenant'), tenant.getStore()]);
          await work.handler(context);
          seen.push([context.header('x-tenant'), tenant.getStore()]);
        },
      },
    );
    const calls = [];
    for (const name of ['a', 'b', 'c']) {
      calls.push(app.call('/', { headers: { 'X-Tenant': name } }));
      await counts(limit, 1, calls.length - 1);
    }
    work.finishAll();
    for (const call of calls) await call.answer();
    expect(seen).toHaveLength(6);
    for (const pair of seen) expect(pair).toEqual([(pair as unknown[])[0], (pair as unknown[])[0]]);
  });

  it('counts a request by its weight, clamped to 1…limit', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 4, weight: (c) => Number(c.header('x-weight')) });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const expected = { '3': 3, '99': 4, '0': 1, '-2': 1 };
    for (const [asked, taken] of Object.entries(expected)) {
      const call = app.call('/', { headers: { 'X-Weight': asked } });
      await counts(limit, 1);
      expect(limit.stats().limits[0]).toMatchObject({ inflight: taken });
      work.finish();
      await call.answer();
      await counts(limit, 0);
    }
  });

  it('admits a skipped request without a permit', async () => {
    const { app, limit, work, holder } = await busy(world, {
      skip: ({ path }) => path === '/health',
    });
    const health = app.call('/health');
    await work.begins(2);
    expect(limit.holders).toBe(1);
    const none = { permit: undefined, waited: 0, rejection: undefined };
    expect(work.begun[1]?.admission).toEqual(none);
    work.finishAll();
    expect(await health.answer()).toMatchObject({ status: 200 });
    await holder.answer();
  });

  it('serves the requests of a burst one by one', async () => {
    const limit = world.limit({ limit: 1, queueLimit: 50, queueTimeout: 60_000 });
    const app = await world.serve({ use: limit }, { handle: ok });
    const calls = Array.from({ length: 50 }, () => app.call().answer());
    for (const answer of await Promise.all(calls)) expect(answer).toMatchObject({ status: 200 });
    expect(limit.stats().admitted).toBe(50);
  });
}
