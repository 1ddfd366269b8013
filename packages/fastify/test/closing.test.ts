import type { AddressInfo } from 'node:net';
import { createLimiter } from '@headgate/core';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/fastify';
import { Call, counts, Latch } from '@headgate/test-suite';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { versions } from './apps.ts';

describe.each(versions)('an app of %s that closes', (_, create) => {
  /** Serves `/work`, which waits for the latch, behind the registered limit or one of its own. */
  async function serve(limit: ConcurrencyLimit, own?: ConcurrencyLimit) {
    const app = create();
    const latch = new Latch();
    onTestFinished(() => latch.open());
    await app.register(limit);
    app.get('/work', { config: { concurrencyLimit: own } }, () => latch.opened.then(() => 'done'));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    return { app, latch, call: () => new Call(port, '/work', {}).answer() };
  }

  async function runAndQueue(served: Awaited<ReturnType<typeof serve>>, limit: ConcurrencyLimit) {
    const running = served.call();
    await counts(limit, 1);
    const queued = served.call();
    await counts(limit, 1, 1);
    return { running, queued };
  }

  it('serves queued and running requests, and then closes the limit', async () => {
    const limit = concurrencyLimit({ limit: 1 });
    const served = await serve(limit);
    const { running, queued } = await runAndQueue(served, limit);
    const closed = served.app.close();
    served.latch.open();
    expect(await running).toMatchObject({ status: 200, body: 'done' });
    expect(await queued).toMatchObject({ status: 200, body: 'done' });
    await closed;
    expect([limit.closed, limit.holders, limit.queued]).toEqual([true, 0, 0]);
  });

  it('closes the limits of its routes too', async () => {
    const limit = concurrencyLimit({ limit: 1 });
    const own = concurrencyLimit({ limit: 1 });
    const served = await serve(limit, own);
    const { running, queued } = await runAndQueue(served, own);
    const closed = served.app.close();
    served.latch.open();
    expect([await running, await queued]).toMatchObject([{ status: 200 }, { status: 200 }]);
    await closed;
    expect([limit.closed, own.closed]).toEqual([true, true]);
  });

  it('leaves a limit open that another app uses', async () => {
    const limit = concurrencyLimit({ limit: 1 });
    const [first, second] = [await serve(limit), await serve(limit)];
    await first.app.close();
    second.latch.open();
    expect(await second.call()).toMatchObject({ status: 200 });
    await second.app.close();
    expect(limit.closed).toBe(true);
  });

  it('leaves a reused limiter open', async () => {
    const limiter = createLimiter({ limit: 1 });
    const { app } = await serve(concurrencyLimit({ limiter }));
    await app.close();
    expect(limiter.closed).toBe(false);
  });

  it('cannot register a closed limit, neither for all routes nor for one', async () => {
    const limit = concurrencyLimit({ name: 'pages', limit: 1 });
    await (await serve(limit)).app.close();
    const message = expect.stringContaining('create one for each application');
    const error = { code: 'ERR_HEADGATE_MIDDLEWARE', message };
    await expect(Promise.resolve(create().register(limit))).rejects.toMatchObject(error);
    const app: FastifyInstance = create();
    await app.register(concurrencyLimit({ limit: 1 }));
    expect(() => app.get('/', { config: { concurrencyLimit: limit } }, async () => '')).toThrow(
      expect.objectContaining(error),
    );
  });
});
