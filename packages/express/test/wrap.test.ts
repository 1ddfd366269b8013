import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { Call, counts, Latch, until, VirtualClock } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import express, { type Express } from 'express';
import express4 from 'express4';
import { afterEach, describe, expect, it } from 'vitest';

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
])('wrap in %s', (_, version) => {
  const servers: http.Server[] = [];
  const limits: ReturnType<typeof concurrencyLimit>[] = [];

  afterEach(async () => {
    for (const limit of limits.splice(0)) await counts(limit, 0, 0);
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  function limited(options: Parameters<typeof concurrencyLimit>[0]) {
    const limit = concurrencyLimit(options);
    limits.push(limit);
    return limit;
  }

  async function serve(build: (app: Express) => void) {
    const app = version();
    app.set('env', 'test');
    build(app);
    const server = http.createServer(app).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return (path = '/', options = {}) => new Call(port, path, options);
  }

  it('holds the permit until the handler has settled', async () => {
    const limit = limited({ limit: 1, queueLimit: 0 });
    const settled = new Latch();
    const handler = async (_req: express.Request, res: express.Response) => {
      res.send('early');
      await settled.opened;
    };
    const call = await serve((app) => app.get('/', limit.wrap(handler)));
    expect(await call().answer()).toMatchObject({ status: 200, body: 'early' });
    await aRound();
    expect(limit.holders).toBe(1);
    expect(await call().answer()).toMatchObject({ status: 503 });
    settled.open();
    await counts(limit, 0);
  });

  it('holds the permit until a thenable returned by the handler has settled', async () => {
    const limit = limited({ limit: 1 });
    const settled = new Latch();
    const handler = (_req: express.Request, res: express.Response) => {
      res.send('early');
      // biome-ignore lint/suspicious/noThenProperty: like a library's own promise type
      return { then: settled.opened.then.bind(settled.opened) };
    };
    const call = await serve((app) => app.get('/', limit.wrap(handler)));
    await call().answer();
    await aRound();
    expect(limit.holders).toBe(1);
    settled.open();
    await counts(limit, 0);
  });

  it('holds the permit until the response has ended', async () => {
    const limit = limited({ limit: 1 });
    let response: express.Response | undefined;
    const handler = async (_req: express.Request, res: express.Response) => {
      response = res;
      res.write('one ');
    };
    const call = await serve((app) => app.get('/', limit.wrap(handler)));
    const first = call();
    await first.response;
    await aRound();
    expect(limit.holders).toBe(1);
    response?.end('two');
    expect(await first.answer()).toMatchObject({ body: 'one two' });
  });

  it("holds a disconnected client's permit until the handler has settled, regardless of how long that takes", async () => {
    const clock = new VirtualClock();
    const limit = limited({ limit: 1, clock });
    const settled = new Latch();
    let response: express.Response | undefined;
    const handler = (_req: express.Request, res: express.Response) => {
      response = res;
      return settled.opened;
    };
    const call = await serve((app) => app.get('/', limit.wrap(handler)));
    const abortedCall = call();
    await until(() => response !== undefined);
    const closed = once(response as express.Response, 'close');
    abortedCall.abort();
    await closed;
    clock.advance(60_000);
    response?.send('into the void');
    await aRound();
    expect(limit.holders).toBe(1);
    settled.open();
    await counts(limit, 0);
  });

  it("releases a disconnected client's permit immediately with onDisconnect: 'release'", async () => {
    const limit = limited({ limit: 1, onDisconnect: 'release' });
    const settled = new Latch();
    const call = await serve((app) =>
      app.get(
        '/',
        limit.wrap(() => settled.opened),
      ),
    );
    const abortedCall = call();
    await counts(limit, 1);
    abortedCall.abort();
    await counts(limit, 0);
    settled.open();
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['rejects with nothing', () => Promise.reject()],
  ])("passes an error to the app's error handling when the handler %s", async (_, handler) => {
    const limit = limited({ limit: 1 });
    const report: express.ErrorRequestHandler = (error, _req, res, _next) => {
      res.status(500).send(error.message);
    };
    const call = await serve((app) => app.get('/', limit.wrap(handler)).use(report));
    for (const _ of [1, 2]) {
      expect(await call().answer()).toMatchObject({ status: 500 });
      await counts(limit, 0);
    }
  });

  it('passes the request to the next handler if its own handler calls next', async () => {
    const limit = limited({ limit: 1 });
    const done = new Latch();
    const call = await serve((app) => {
      app.get(
        '/',
        limit.wrap((_req, _res, next) => next()),
        async (_req, res) => {
          await done.opened;
          res.send('next');
        },
      );
    });
    const answered = call().answer();
    await counts(limit, 1);
    done.open();
    expect(await answered).toMatchObject({ body: 'next' });
  });

  it('queues a request, and passes its admission and parameters to the handler', async () => {
    const limit = limited({ limit: 1, queueLimit: 1 });
    const first = new Latch();
    const call = await serve((app) => {
      app.get(
        '/reports/:id',
        limit.wrap<{ id: string }>(async (req, res) => {
          if (req.params.id === '1') await first.opened;
          res.send(`${req.params.id} ${res.locals.admission?.permit?.weight}`);
        }),
      );
    });
    const answers = [call('/reports/1').answer()];
    await counts(limit, 1);
    answers.push(call('/reports/2').answer());
    await counts(limit, 1, 1);
    expect(await call('/reports/3').answer()).toMatchObject({ status: 503 });
    first.open();
    expect((await Promise.all(answers)).map(({ body }) => body)).toEqual(['1 1', '2 1']);
  });

  it('acquires one permit if the same limit also runs as middleware', async () => {
    const limit = limited({ limit: 1 });
    const settled = new Latch();
    const handler = async (_req: express.Request, res: express.Response) => {
      res.send('early');
      await settled.opened;
    };
    const call = await serve((app) => app.use(limit).get('/', limit.wrap(handler)));
    expect(await call().answer()).toMatchObject({ status: 200 });
    await aRound();
    expect(limit.holders).toBe(1);
    settled.open();
    await counts(limit, 0);
  });

  it('holds the permit that another middleware has acquired from the same limiter', async () => {
    const limiter = createLimiter({ limit: 1 });
    const [outer, inner] = [limited({ limiter }), limited({ limiter })];
    const settled = new Latch();
    const handler = async (_req: express.Request, res: express.Response) => {
      res.send('early');
      await settled.opened;
    };
    const call = await serve((app) => app.use(outer).get('/', inner.wrap(handler)));
    expect(await call().answer()).toMatchObject({ status: 200 });
    await aRound();
    expect(limiter.inflight).toBe(1);
    settled.open();
    await counts(limiter, 0);
  });

  it('runs the handler for skipped requests and in degraded mode', async () => {
    const limit = limited({
      limit: 1,
      queueLimit: 0,
      skip: (req) => req.path === '/health',
      onReject: (_rejection, _req, _res, next) => next(),
    });
    const first = new Latch();
    const call = await serve((app) => {
      app.use(
        limit.wrap(async (req, res) => {
          if (req.path === '/slow') await first.opened;
          res.send(res.locals.admission?.rejection?.reason ?? 'fine');
        }),
      );
    });
    const slow = call('/slow').answer();
    await counts(limit, 1);
    expect(await call('/health').answer()).toMatchObject({ body: 'fine' });
    expect(await call('/').answer()).toMatchObject({ status: 200, body: 'full' });
    first.open();
    expect(await slow).toMatchObject({ body: 'fine' });
  });
});
