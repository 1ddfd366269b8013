import { createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { counts, Latch, Paused, until, VirtualClock, worldOfEachTest } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import express, { type ErrorRequestHandler } from 'express';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

describe('Express with other middleware around the limit', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  function limited(options: Parameters<typeof concurrencyLimit>[0]) {
    return world.watch(concurrencyLimit(options));
  }

  it('leaves the response to the app if it has begun before the rejection', async () => {
    const clock = new VirtualClock();
    const limit = limited({ limit: 1, queueLimit: 1, clock });
    const done = new Latch();
    const errors: unknown[] = [];
    const report: ErrorRequestHandler = (error, _req, res, _next) => {
      errors.push(error);
      res.end('broken off');
    };
    const app = express();
    app.use((_req, res, next) => {
      res.write('begun ');
      next();
    });
    app.use(limit, async (_req, res) => {
      await done.opened;
      res.end('done');
    });
    app.use(report);
    const running = await world.serveThrough(() => app);
    const holder = running.call();
    await counts(limit, 1);
    const waiter = running.call();
    await counts(limit, 1, 1);
    clock.advance(2000);
    expect(await waiter.answer()).toMatchObject({ body: 'begun broken off' });
    expect(errors).toMatchObject([{ code: 'ERR_HTTP_HEADERS_SENT' }]);
    done.open();
    expect(await holder.answer()).toMatchObject({ body: 'begun done' });
  });

  it('releases the outer permit if the client disconnects before the request reaches the inner limit', async () => {
    const clock = new VirtualClock();
    const [outer, inner] = [limited({ limit: 1, clock }), limited({ limit: 1, clock })];
    const authenticated = new Latch();
    const work = new Paused();
    const app = express();
    app.use(
      outer,
      async (_req, _res, next) => {
        await authenticated.opened;
        next();
      },
      inner,
      (_req, res) => void work.handler({ send: () => res.end() } as never),
    );
    const running = await world.serveThrough(() => app);
    const abortedCall = running.call();
    await counts(outer, 1);
    abortedCall.abort();
    await until(() => running.sockets[0]?.closed === true);
    await aRound();
    expect(outer.holders).toBe(1);
    authenticated.open();
    await counts(outer, 0);
    expect(work.begun).toHaveLength(0);
    expect(inner.stats().admitted).toBe(0);
  });

  it('distinguishes requests even if middleware sets the same object as res.locals of all of them', async () => {
    const limit = limited({ limit: 1 });
    const shared = {} as Record<string, unknown> & Express.Locals;
    const app = express();
    app.use((_req, res, next) => {
      res.locals = shared;
      next();
    });
    app.use(limit, (_req, res) => void res.send('here'));
    const running = await world.serveThrough(() => app);
    for (let round = 0; round < 2; round++) {
      expect(await running.call().answer()).toMatchObject({ status: 200, body: 'here' });
      await counts(limit, 0);
    }
    expect(limit.stats().admitted).toBe(2);
  });

  it('recognizes the permits of a request after middleware has replaced res.locals', async () => {
    const limiter = createLimiter({ limit: 1 });
    const [outer, inner] = [limited({ limiter }), limited({ limiter })];
    const held: unknown[] = [];
    const app = express();
    app.use((_req, res, next) => {
      res.on('close', () => {});
      next();
    });
    app.use(outer, (_req, res, next) => {
      res.locals = {} as typeof res.locals;
      next();
    });
    app.use(inner, (_req, res) => {
      held.push(res.locals.admission?.permit?.weight);
      res.send('once');
    });
    const running = await world.serveThrough(() => app);
    expect(await running.call().answer()).toMatchObject({ status: 200, body: 'once' });
    expect(held).toEqual([1]);
    expect(inner.stats().reentered).toBe(1);
    await counts(limiter, 0);
  });
});
