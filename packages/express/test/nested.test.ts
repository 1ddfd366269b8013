import { concurrencyLimit } from '@headgate/express';
import { counts, Latch, until, worldOfEachTest } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

describe('wrap in Express', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  function limited() {
    return world.watch(concurrencyLimit({ limit: 1 }));
  }

  it('holds the outer permit while the outer handler runs, even if the inner one has settled', async () => {
    const [outer, inner] = [limited(), limited()];
    const settled = new Latch();
    const app = express();
    app.get(
      '/',
      outer.wrap(async (_req, _res, next) => {
        next();
        await settled.opened;
      }),
      inner.wrap(async (_req, res) => {
        res.end('inner');
      }),
    );
    const running = await world.serveThrough(() => app);
    expect(await running.call().answer()).toMatchObject({ body: 'inner' });
    await counts(inner, 0);
    await aRound();
    expect(outer.holders).toBe(1);
    settled.open();
    await counts(outer, 0);
  });

  it('does not hold the inner permit while only the outer handler runs', async () => {
    const [outer, inner] = [limited(), limited()];
    const [first, second] = [new Latch(), new Latch()];
    const app = express();
    app.get(
      '/',
      outer.wrap(async (_req, _res, next) => {
        next();
        await first.opened;
      }),
      inner.wrap(async (_req, res) => {
        res.end('inner');
        await second.opened;
      }),
    );
    const running = await world.serveThrough(() => app);
    await running.call().answer();
    first.open();
    await aRound();
    expect([outer.holders, inner.holders]).toEqual([1, 1]);
    second.open();
    await Promise.all([counts(outer, 0), counts(inner, 0)]);
  });

  it('acquires the same limit again after a handler has released its first permit', async () => {
    const limit = world.watch(concurrencyLimit({ limit: 1, queueLimit: 1 }));
    const [waits, works] = [new Latch(), new Latch()];
    const app = express();
    app.get(
      '/twice',
      limit,
      async (_req, res, next) => {
        res.locals.admission.permit?.release();
        await waits.opened;
        next();
      },
      limit,
      (_req, res) => res.end('twice'),
    );
    app.get('/once', limit, async (_req, res) => {
      await works.opened;
      res.end('once');
    });
    const running = await world.serveThrough(() => app);
    const twice = running.call('/twice');
    await until(() => limit.stats().admitted === 1 && limit.holders === 0);
    const once = running.call('/once');
    await counts(limit, 1);
    waits.open();
    await counts(limit, 1, 1);
    works.open();
    expect(await once.answer()).toMatchObject({ body: 'once' });
    expect(await twice.answer()).toMatchObject({ status: 200, body: 'twice' });
    expect(limit.stats()).toMatchObject({ admitted: 3, reentered: 0 });
    await counts(limit, 0);
  });

  it('calls then() on the result of a handler only once, since a query builder would run its query again', async () => {
    const limit = limited();
    let runs = 0;
    const app = express();
    app.get(
      '/',
      limit.wrap((_req, res) => ({
        // biome-ignore lint/suspicious/noThenProperty: like a query builder's
        then: (done: () => void) => {
          runs++;
          res.end('queried');
          done();
        },
      })),
    );
    const running = await world.serveThrough(() => app);
    expect(await running.call().answer()).toMatchObject({ body: 'queried' });
    await until(() => limit.holders === 0);
    expect(runs).toBe(1);
  });
});
