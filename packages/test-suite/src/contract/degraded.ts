import { AsyncLocalStorage } from 'node:async_hooks';
import type { Rejection } from '@headgate/core';
import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { counts } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function degraded(world: World): void {
  it('lets onReject respond', async () => {
    const rejections: Rejection[] = [];
    const { app, work, holder } = await busy(world, {
      onReject(rejection, context) {
        rejections.push(rejection);
        context.send(529, `busy at ${context.path}`, { 'X-Own': 'yes' });
      },
    });
    const { status, headers, body } = await app.call('/refused').answer();
    expect({ status, body }).toEqual({ status: 529, body: 'busy at /refused' });
    expect(headers['x-own']).toBe('yes');
    expect(headers['retry-after']).toBeUndefined();
    expect(rejections).toMatchObject([
      { reason: 'full', limitName: 'unnamed', queued: 0, waited: 0 },
    ]);
    expect(rejections[0]?.retryAfter).toBeGreaterThanOrEqual(1);
    work.finishAll();
    await holder.answer();
  });

  it.each([false, Promise.resolve(false)])(
    'responds itself if onReject returns false (%s)',
    async (result) => {
      const { app, work, holder } = await busy(world, { onReject: () => result });
      const { status, headers } = await app.call().answer();
      expect(status).toBe(503);
      expect(headers['retry-after']).toMatch(/^[1-9]/);
      work.finishAll();
      await holder.answer();
    },
  );

  it('awaits an asynchronous onReject', async () => {
    const { app, work, holder } = await busy(world, {
      async onReject(_, context) {
        await new Promise((resolve) => setImmediate(resolve));
        context.send(203, 'from a cache');
      },
    });
    expect(await app.call().answer()).toMatchObject({ status: 203, body: 'from a cache' });
    work.finishAll();
    await holder.answer();
  });

  it.each<[string, unknown, object]>([
    ['throws', new Error('broken'), { message: 'broken' }],
    ['throws undefined', undefined, { message: 'failed without a reason' }],
  ])(
    "passes an error to the framework's error handling when onReject %s",
    async (_, thrown, error) => {
      for (const later of [false, true]) {
        const onReject = () => {
          if (later) return Promise.reject(thrown);
          throw thrown;
        };
        const { app, work, holder } = await busy(world, { onReject });
        expect(await app.call().answer()).toMatchObject({ status: 500 });
        expect(app.errors).toMatchObject([error]);
        work.finishAll();
        await holder.answer();
      }
    },
  );

  it.each(['full', 'timeout'] as const)(
    'lets onReject run the handler, which sees the rejection (%s)',
    async (reason) => {
      const clock = new VirtualClock();
      const work = new Paused();
      const limit = world.limit({
        ...{ limit: 1, queueLimit: reason === 'full' ? 0 : 1, clock },
        onReject: (_, __, next) => next(),
      });
      const app = await world.serve(
        { use: limit },
        {
          handle(context) {
            const { rejection, permit } = context.admission ?? {};
            if (rejection === undefined) return work.handler(context);
            context.send(200, `${rejection.reason} ${permit === undefined}`);
          },
        },
      );
      const holder = app.call();
      await work.begins(1);
      const second = app.call();
      if (reason === 'timeout') {
        await counts(limit, 1, 1);
        clock.advance(2000);
      }
      expect(await second.answer()).toMatchObject({ status: 200, body: `${reason} true` });
      expect(limit.holders).toBe(1);
      work.finishAll();
      await holder.answer();
    },
  );

  it("passes the degraded handler's errors to the framework", async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 0, onReject: (_, __, next) => next() });
    const app = await world.serve(
      { use: limit },
      {
        handle(context) {
          if (context.admission?.rejection !== undefined) throw new Error('broken');
          return work.handler(context);
        },
      },
    );
    const holder = app.call();
    await work.begins(1);
    expect(await app.call().answer()).toMatchObject({ status: 500 });
    expect(app.errors).toMatchObject([{ message: 'broken' }]);
    work.finishAll();
    await holder.answer();
  });

  it("calls onReject in the request's own async context", async () => {
    const clock = new VirtualClock();
    const tenant = new AsyncLocalStorage<unknown>();
    const work = new Paused();
    const limit = world.limit({
      ...{ limit: 1, queueLimit: 9, clock },
      onReject: (_, context) => context.send(503, String(tenant.getStore())),
    });
    const app = await world.serveThrough(
      (listener) => (req, res) => tenant.run(req.headers['x-tenant'], () => listener(req, res)),
      { use: limit },
      { handle: work.handler },
    );
    const call = (name: string) => app.call('/', { headers: { 'X-Tenant': name } });
    const holder = call('a');
    await work.begins(1);
    const waiters = [call('b'), call('c')];
    await counts(limit, 1, 2);
    clock.advance(2000);
    const bodies = await Promise.all(waiters.map(async (waiter) => (await waiter.answer()).body));
    expect(bodies).toEqual(['b', 'c']);
    work.finishAll();
    await holder.answer();
  });

  it('admits every request in shadow mode, and reports what it would have rejected', async () => {
    const reports: unknown[] = [];
    const work = new Paused();
    const limit = world.limit({
      ...{ limit: 1, queueLimit: 1, mode: 'shadow' },
      onReject: (_, context) => context.send(418),
    });
    limit.observe({ rejected: (event) => reports.push(event) });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = [];
    for (let count = 1; count <= 4; count++) {
      calls.push(app.call());
      await counts(limit, count);
    }
    const full = { shadow: true, rejection: { reason: 'full', limitName: 'unnamed' } };
    expect(reports).toMatchObject([full, full]);
    expect(limit.stats().wouldReject).toMatchObject({ full: 2, timeout: 0 });
    work.finishAll();
    for (const call of calls) expect(await call.answer()).toMatchObject({ status: 200 });
  });

  it('admits every request in shadow mode of the default limit, and simulates it', async () => {
    const limit = world.limit({ mode: 'shadow' });
    const app = await world.serve({ use: limit }, { handle: (context) => context.send(200) });
    for (let count = 1; count <= 3; count++)
      expect(await app.call().answer()).toMatchObject({ status: 200 });
    const { shadow, limits } = limit.stats();
    expect([shadow?.admitted, limits?.[0]?.name, limits?.[0]?.suggestion]).toEqual([
      ...[3, 'default', undefined],
    ]);
  });

  it('admits queued requests when shadow mode is started, and rejects again when it is ended', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const calls = [app.call()];
    await counts(limit, 1);
    calls.push(app.call());
    await counts(limit, 1, 1);
    limit.limiters.unnamed?.shadow();
    await work.begins(2);
    calls.push(app.call());
    await work.begins(3);
    limit.limiters.unnamed?.enforce();
    calls.push(app.call());
    await counts(limit, 3, 1);
    expect(await app.call().answer()).toMatchObject({ status: 503 });
    work.finishAll();
    for (const call of calls.slice(0, 3))
      expect(await call.answer()).toMatchObject({ status: 200 });
    await work.begins(4);
    work.finishAll();
    expect(await calls[3]?.answer()).toMatchObject({ status: 200 });
  });

  it('never rejects a skipped request', async () => {
    const limit = world.limit({ limit: 1, skip: () => true });
    const app = await world.serve({ use: limit }, { handle: ok });
    const calls = Array.from({ length: 10 }, () => app.call().answer());
    for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
    expect(limit.stats()).toMatchObject({ admitted: 0, rejected: { full: 0 }, skipped: 10 });
  });
}
