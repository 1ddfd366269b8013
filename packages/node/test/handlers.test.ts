import EventEmitter, { once } from 'node:events';
import http, { type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  admissionOf,
  type ConcurrencyLimit,
  type ConcurrencyLimitOptions,
  concurrencyLimit,
} from '@headgate/node';
import { uncaughtIn } from '@headgate/test-kit/uncaught';
import { Call, counts, Latch, until, VirtualClock } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import { afterEach, describe, expect, it } from 'vitest';

describe('a handler of a node:http server', () => {
  const servers: http.Server[] = [];
  const limits: ConcurrencyLimit[] = [];

  afterEach(async () => {
    for (const limit of limits.splice(0)) await counts(limit, 0, 0);
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  function limited(options: ConcurrencyLimitOptions) {
    const limit = concurrencyLimit(options);
    limits.push(limit);
    return limit;
  }

  async function serve(listener: RequestListener, server = http.createServer()) {
    server.on('request', listener).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return (path = '/', options = {}) => new Call(port, path, options);
  }

  it('receives only the arguments that node:http passes', async () => {
    const limit = limited({ limit: 1, queueLimit: 1, onReject: (_, _req, _res, next) => next() });
    const latch = new Latch();
    const numbers: number[] = [];
    const handler = async (...args: unknown[]) => {
      numbers.push(args.length);
      await latch.opened;
      (args[1] as http.ServerResponse).end();
    };
    const call = await serve(limit(handler));
    const answers = [call().answer()];
    await counts(limit, 1);
    answers.push(call().answer());
    await counts(limit, 1, 1);
    answers.push(call().answer());
    await until(() => numbers.length === 2);
    latch.open();
    await Promise.all(answers);
    expect(numbers).toEqual([2, 2, 2]);
  });

  it('reads its admission from its response', async () => {
    const limit = limited({ limit: 1, skip: ({ url }) => url === '/health' });
    const call = await serve(
      limit((_req, res) => {
        const { permit, waited } = admissionOf(res);
        res.end(`${permit?.weight} ${waited}`);
      }),
    );
    expect(await call().answer()).toMatchObject({ body: '1 0' });
    expect(await call('/health').answer()).toMatchObject({ body: 'undefined 0' });
  });

  it.each([
    '/x/../reports/1',
    '//host/reports/1',
    '/reports\\1',
    '/rep%6Frts/1',
    '/reports/..',
    'http://host/reports/..',
    'http://host:99999/reports/1',
    '/reports/1#x',
  ])('matches a route however the application reads the path: %s', async (path) => {
    const limit = limited({ limits: [{ name: 'reports', limit: 1, route: 'GET /reports/:id' }] });
    const call = await serve(limit((_req, res) => res.end()));
    expect(await call(path).answer()).toMatchObject({ status: 200 });
    expect(limit.stats().limits[0]?.admitted).toBe(1);
  });

  it('uses the same permits as other handlers of the limit', async () => {
    const limit = limited({ limit: 1, queueLimit: 0 });
    const latch = new Latch();
    const slow = limit(async (_req, res) => {
      await latch.opened;
      res.end('slow');
    });
    const fast = limit((_req, res) => res.end('fast'));
    const call = await serve((req, res) => void (req.url === '/slow' ? slow : fast)(req, res));
    const holder = call('/slow').answer();
    await counts(limit, 1);
    expect(await call('/fast').answer()).toMatchObject({ status: 503 });
    latch.open();
    expect(await holder).toMatchObject({ body: 'slow' });
  });

  it('holds its permit until its promise has settled, even if it ends the response early', async () => {
    const limit = limited({ limit: 1 });
    const settled = new Latch();
    const call = await serve(
      limit((_req, res) => {
        res.end('early');
        // biome-ignore lint/suspicious/noThenProperty: like a library's own promise type
        return { then: settled.opened.then.bind(settled.opened) };
      }),
    );
    expect(await call().answer()).toMatchObject({ body: 'early' });
    await aRound();
    expect(limit.holders).toBe(1);
    settled.open();
    await counts(limit, 0);
  });

  it("without a promise holds a disconnected client's permit until it responds, or for 30 seconds", async () => {
    const clock = new VirtualClock();
    const limit = limited({ limit: 2, clock });
    const responses: http.ServerResponse[] = [];
    const call = await serve(limit((_req, res) => void responses.push(res)));
    const abortedCalls = [call(), call()];
    await until(() => responses.length === 2);
    const closed = responses.map(({ req }) => once(req.socket, 'close'));
    for (const each of abortedCalls) each.abort();
    await Promise.all(closed);
    expect(limit.holders).toBe(2);
    responses[0]?.end('into the void');
    await counts(limit, 1);
    clock.advance(30_000);
    expect(limit.holders).toBe(0);
  });

  it('passes its response to classify', async () => {
    const statuses: number[] = [];
    const limit = limited({
      limit: { create: () => ({ limit: 1, sample: () => {} }) } as never,
      classify: ({ statusCode }) => {
        statuses.push(statusCode);
        return 'ok';
      },
    });
    const call = await serve(limit((_req, res) => res.writeHead(418).end()));
    await call().answer();
    await counts(limit, 0);
    expect(statuses).toEqual([418]);
  });

  describe('that fails', () => {
    const broken = new Error('broken');

    it.each([
      ['rejects at once', () => Promise.reject(broken)],
      [
        'rejects later',
        async () => {
          await aRound();
          throw broken;
        },
      ],
    ])('is answered with 500 by a server with captureRejections: %s', async (_, handler) => {
      const limit = limited({ limit: 1 });
      EventEmitter.captureRejections = true;
      const server = http.createServer();
      EventEmitter.captureRejections = false;
      const call = await serve(limit(handler), server);
      for (const _ of [1, 2]) {
        expect(await call().answer()).toMatchObject({ status: 500 });
        await counts(limit, 0);
      }
    });

    it.each<[string, () => unknown]>([
      [
        'throws',
        () => {
          throw broken;
        },
      ],
      ['rejects', () => Promise.reject(broken)],
    ])('releases its permit although nothing responds: %s', async (_, handler) => {
      const errors: unknown[] = [];
      const limit = limited({ limit: 1 });
      const listener = limit(handler);
      const call = await serve(async (req, res) => {
        try {
          await listener(req, res);
        } catch (error) {
          errors.push(error);
        }
      });
      const calls = [call(), call()];
      await until(() => errors.length === 2);
      await counts(limit, 0);
      expect(errors).toEqual([broken, broken]);
      for (const each of calls) each.abort();
    });

    it.each<[string, () => unknown]>([
      [
        'throws',
        () => {
          throw broken;
        },
      ],
      ['rejects at once', () => Promise.reject(broken)],
      [
        'rejects later',
        async () => {
          await aRound();
          throw broken;
        },
      ],
    ])('is reported by Node as uncaught, after its request was queued too: %s', async (_, fail) => {
      const limit = limited({ limit: 1, queueLimit: 1 });
      const call = await serve(limit(fail));
      const calls: Call[] = [];
      const errors = await uncaughtIn(async () => {
        calls.push(call());
        await until(() => limit.stats().admitted === 1);
        await counts(limit, 0);
        const held = await limit.limiters.unnamed?.acquire();
        calls.push(call());
        await counts(limit, 1, 1);
        held?.release();
        await until(() => limit.stats().admitted === 3);
        await counts(limit, 0, 0);
      });
      expect(errors).toEqual([broken, broken]);
      for (const each of calls) each.abort();
    });

    it('holds its permit while the response that it has begun is open', async () => {
      const limit = limited({ limit: 1 });
      let response: http.ServerResponse | undefined;
      const listener = limit((_req, res) => {
        response = res;
        res.write('one ');
        throw broken;
      });
      const call = await serve((req, res) => {
        try {
          listener(req, res);
        } catch {}
      });
      const answer = call().answer();
      await until(() => response !== undefined);
      await aRound();
      await new Promise((resolve) => setImmediate(resolve));
      expect(limit.holders).toBe(1);
      response?.end('two');
      expect(await answer).toMatchObject({ body: 'one two' });
    });
  });
});
