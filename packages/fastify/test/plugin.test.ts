import { once } from 'node:events';
import http from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/fastify';
import { aRound, counts, Latch, until, VirtualClock, worldOfEachTest } from '@headgate/test-suite';
import Fastify, { type FastifyInstance } from 'fastify';
import Fastify4 from 'fastify4';
import { describe, expect, it } from 'vitest';
import { fastifyFramework } from './framework.ts';

const { version } = createRequire(import.meta.url)('fastify4/package.json');

it('tests both major versions', () => {
  expect([Fastify().version[0], version[0]]).toEqual(['5', '4']);
});

describe.each([
  ['Fastify 5', Fastify],
  ['Fastify 4', Fastify4 as unknown as typeof Fastify],
])('%s only', (name, create) => {
  const world = worldOfEachTest(fastifyFramework(name, create));

  async function serve(app: FastifyInstance) {
    await app.ready();
    return world.serveThrough(() => (req, res) => app.routing(req, res));
  }

  function limited(options: Parameters<typeof concurrencyLimit>[0]): ConcurrencyLimit {
    return world.watch(concurrencyLimit(options));
  }

  describe('encapsulation', () => {
    it('applies to the routes of its instance and of the plugins within, and to no others', async () => {
      const limit = limited({ limit: 9 });
      const app = create();
      app.register(async (scope) => {
        await scope.register(limit);
        scope.get('/inside', async () => 'ok');
        scope.register(async (inner) => {
          inner.get('/within', async () => 'ok');
        });
      });
      app.get('/outside', async () => 'ok');
      const { call } = bound(await serve(app));
      for (const path of ['/inside', '/within', '/outside']) {
        expect(await call(path).answer()).toMatchObject({ status: 200 });
      }
      expect(limit.stats().admitted).toBe(2);
    });

    it('applies once if it is registered in two nested instances', async () => {
      const limit = limited({ limit: 1 });
      const app = create();
      await app.register(limit);
      app.register(async (scope) => {
        await scope.register(limit);
        scope.get('/', async () => 'ok');
      });
      const { call } = bound(await serve(app));
      expect(await call('/').answer()).toMatchObject({ status: 200 });
      expect(limit.stats()).toMatchObject({ admitted: 1, reentered: 1 });
    });

    it('applies to routes that were added before it was loaded, and to unknown paths', async () => {
      const limit = limited({ limit: 9 });
      const app = create();
      app.register(limit);
      app.get('/', async (request) => `${request.admission.permit?.weight}`);
      const { call } = bound(await serve(app));
      expect(await call('/').answer()).toMatchObject({ body: '1' });
      expect(await call('/unknown').answer()).toMatchObject({ status: 404 });
      expect(limit.stats().admitted).toBe(2);
    });
  });

  describe('the configuration of a route', () => {
    it('sets another limit instead of the registered one, or none', async () => {
      const [limit, reports] = [limited({ limit: 1 }), limited({ name: 'reports', limit: 1 })];
      const latch = new Latch();
      const app = create();
      await app.register(limit);
      app.get('/', () => latch.opened);
      app.get('/reports', { config: { concurrencyLimit: reports } }, () => latch.opened);
      app.get('/health', { config: { concurrencyLimit: false } }, async () => 'ok');
      const { call } = bound(await serve(app));
      const holders = [call('/').answer(), call('/reports').answer()];
      await counts(limit, 1);
      await counts(reports, 1);
      expect(await call('/health').answer()).toMatchObject({ status: 200 });
      const refused = await call('/reports').answer();
      expect(refused.status).toBe(503);
      expect(JSON.parse(refused.body)).toMatchObject({ 'violated-policies': ['reports'] });
      latch.open();
      await Promise.all(holders);
    });

    it.each([{ limit: 4 }, true, () => {}])(
      'throws for anything else when the route is added: %s',
      async (value) => {
        const app = create();
        await app.register(limited({ limit: 1 }));
        const add = () =>
          app.get('/', { config: { concurrencyLimit: value as never } }, async () => 'ok');
        expect(add).toThrow(
          expect.objectContaining({
            code: 'ERR_HEADGATE_OPTION',
            option: 'config.concurrencyLimit',
          }),
        );
      },
    );

    it('responds with 500 if the route was added before the plugin could check it', async () => {
      const app = create();
      app.register(limited({ limit: 1 }));
      app.get('/', { config: { concurrencyLimit: { limit: 4 } as never } }, async () => 'ok');
      const { call } = bound(await serve(app));
      const { status, body } = await call('/').answer();
      expect(status).toBe(500);
      expect(JSON.parse(body)).toMatchObject({ code: 'ERR_HEADGATE_OPTION' });
    });
  });

  it('holds the permit of a hijacked reply until its response has ended', async () => {
    const limit = limited({ limit: 1 });
    let response: http.ServerResponse | undefined;
    const app = create();
    await app.register(limit);
    app.get('/', (_request, reply) => {
      reply.hijack();
      response = reply.raw;
      response.write('one ');
    });
    const { call } = bound(await serve(app));
    const first = call('/');
    await first.response;
    await aRound();
    expect(limit.inflight).toBe(1);
    expect(await call('/').answer()).toMatchObject({ status: 503 });
    response?.end('two');
    expect(await first.answer()).toMatchObject({ body: 'one two' });
  });

  it('releases the permit when the connection times out', async () => {
    const limit = limited({ limit: 1 });
    const latch = new Latch();
    const timedOut: unknown[] = [];
    const app = create({ connectionTimeout: 3_600_000 });
    await app.register(limit);
    app.get(
      '/',
      { onTimeout: async (request) => void timedOut.push(request.url) },
      () => latch.opened,
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    world.later(() => app.close());
    const sockets: Socket[] = [];
    app.server.on('connection', (socket) => sockets.push(socket));
    const request = http.get(app.listeningOrigin);
    request.on('error', () => {});
    await counts(limit, 1);
    // As when the time has passed.
    sockets[0]?.emit('timeout');
    await new Promise((resolve) => request.on('close', resolve));
    await until(() => timedOut.length === 1);
    expect(limit.inflight).toBe(1);
    latch.open();
    await counts(limit, 0);
  });

  it('holds the permit of a disconnected client until a handler without a promise responds', async () => {
    const clock = new VirtualClock();
    const limit = limited({ limit: 2, abandonAfter: 1000, clock });
    const replies: { send(body: string): unknown; raw: http.ServerResponse }[] = [];
    const app = create();
    await app.register(limit);
    app.get('/', (_request, reply) => void replies.push(reply));
    app.get('/returned', (_request, reply) => {
      replies.push(reply);
      return reply;
    });
    const { call } = bound(await serve(app));
    const abortedCalls = [call('/'), call('/returned')];
    await until(() => replies.length === 2);
    const closed = replies.map(({ raw }) => once(raw, 'close'));
    for (const each of abortedCalls) each.abort();
    await Promise.all(closed);
    await aRound();
    expect(limit.inflight).toBe(2);
    replies[0]?.send('into the void');
    await counts(limit, 1);
    clock.advance(1000);
    expect(limit.inflight).toBe(0);
  });

  it('rejects queued requests on shutdown if preClose closes it', async () => {
    const limit = limited({ limit: 1, queueLimit: 1 });
    const latch = new Latch();
    const app = create();
    await app.register(limit);
    app.get('/', () => latch.opened.then(() => 'done'));
    app.addHook('preClose', () => limit.close().then(() => {}));
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    const holder = fetch(origin);
    await counts(limit, 1);
    const waiter = fetch(origin);
    await counts(limit, 1, 1);
    const closed = app.close();
    expect((await waiter).status).toBe(503);
    latch.open();
    expect(await (await holder).text()).toBe('done');
    await closed;
  });

  it('runs the hooks of a response for a rejected request, which see its admission', async () => {
    const limit = limited({ limit: 1 });
    const latch = new Latch();
    const seen: unknown[] = [];
    const app = create();
    app.addHook('onSend', async (_request, reply) => void reply.header('X-Around', 'yes'));
    app.addHook('onResponse', async ({ admission }) => {
      seen.push(admission?.rejection?.reason);
    });
    await app.register(limit);
    app.get('/', () => latch.opened);
    const { call } = bound(await serve(app));
    const holder = call('/').answer();
    await counts(limit, 1);
    const { status, headers } = await call('/').answer();
    expect([status, headers['x-around']]).toEqual([503, 'yes']);
    await until(() => seen.length === 1);
    latch.open();
    await holder;
    await until(() => seen.length === 2);
    expect(seen).toEqual(['full', undefined]);
  });

  it('releases the permits of injected requests', async () => {
    const limit = limited({ limit: 1 });
    const app = create();
    await app.register(limit);
    app.post('/', async (request) => request.body);
    for (const round of [1, 2, 3]) {
      const response = await app.inject({ method: 'POST', url: '/', payload: { round } });
      expect(response.json()).toEqual({ round });
      await counts(limit, 0);
    }
  });

  it.each<[string, object, string, number]>([
    ['a repeated slash', { ignoreDuplicateSlashes: true }, '//reports//1', 1],
    ['a trailing slash', { ignoreTrailingSlash: true }, '/reports/1/', 1],
    ['another case', { caseSensitive: false }, '/REPORTS/1', 1],
    ['another case', {}, '/REPORTS/1', 0],
    ['a semicolon', { useSemicolonDelimiter: true }, '/reports/1;v=2', 1],
    ['an encoded letter', {}, '/rep%6Frts/1', 1],
    ['an empty parameter', {}, '/reports/', 1],
  ])('matches a route as the router does: %s (%o)', async (_, options, path, matches) => {
    const limit = limited({ limits: [{ name: 'reports', limit: 1, route: 'GET /reports/:id' }] });
    const app = create(name === 'Fastify 5' ? { routerOptions: options } : options);
    await app.register(limit);
    app.get('/reports/:id', async () => 'ok');
    const { call } = bound(await serve(app));
    expect((await call(path).answer()).status).toBe(matches === 1 ? 200 : 404);
    expect(limit.stats().limits[0]?.admitted).toBe(matches);
  });
});

it('throws if concurrencyLimit itself is registered, or used as a hook', async () => {
  const app = Fastify();
  const code = 'ERR_HEADGATE_MIDDLEWARE';
  const errors: unknown[] = [];
  app.addHook('onRequest', async (request, reply) => {
    const limit = concurrencyLimit({ limit: 1 }) as unknown as (...args: unknown[]) => void;
    try {
      limit(request, reply, () => {});
    } catch (error) {
      errors.push(error);
    }
  });
  await app.inject('/');
  expect(errors).toMatchObject([
    { code, message: expect.stringContaining('register it: app.register(limit)') },
  ]);
  expect(() => concurrencyLimit(app as never)).toThrow(
    expect.objectContaining({
      code,
      message: expect.stringContaining('app.register(concurrencyLimit())'),
    }),
  );
});

function bound(app: Awaited<ReturnType<ReturnType<typeof worldOfEachTest>['serve']>>) {
  return { call: app.call.bind(app) };
}
