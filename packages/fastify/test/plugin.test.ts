import { once } from 'node:events';
import http from 'node:http';
import type { Socket } from 'node:net';
import { concurrencyLimit } from '@headgate/fastify';
import { counts, Latch, until, VirtualClock } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { appsOfEachTest, version4, versions } from './apps.ts';

it('tests both major versions', () => {
  expect([Fastify().version[0], version4[0]]).toEqual(['5', '4']);
});

describe.each(versions)('%s only', (name, create) => {
  const { world, limited, serve } = appsOfEachTest(name, create);

  it('holds the permit of a hijacked reply until its response has ended', async () => {
    const limit = limited({ limit: 1, queueLimit: 0 });
    let response: http.ServerResponse | undefined;
    const app = create();
    await app.register(limit);
    app.get('/', (_request, reply) => {
      reply.hijack();
      response = reply.raw;
      response.write('one ');
    });
    const call = await serve(app);
    const first = call('/');
    await first.response;
    await aRound();
    expect(limit.holders).toBe(1);
    expect(await call('/').answer()).toMatchObject({ status: 503 });
    response?.end('two');
    expect(await first.answer()).toMatchObject({ body: 'one two' });
  });

  it('rejects options that are passed to register()', async () => {
    const app = create();
    const register = app.register as (plugin: unknown, options: object) => PromiseLike<unknown>;
    await expect(
      register.call(app, limited({ limit: 1 }), { queueLimit: 5 }),
    ).rejects.toMatchObject({
      code: 'ERR_HEADGATE_UNKNOWN_OPTION',
      option: 'queueLimit',
      message: expect.stringContaining('app.register(concurrencyLimit({ queueLimit }))'),
    });
  });

  it("accepts Fastify's own options of register()", async () => {
    const app = create();
    await app.register(limited({ limit: 1 }), { logLevel: 'warn' });
    await app.ready();
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
    expect(limit.holders).toBe(1);
    latch.open();
    await counts(limit, 0);
  });

  it('holds the permit of a disconnected client until a handler without a promise responds', async () => {
    const clock = new VirtualClock();
    const limit = limited({ limit: 3, clock });
    const replies: { send(body: string): unknown; raw: http.ServerResponse }[] = [];
    const app = create();
    await app.register(limit);
    app.get('/', (_request, reply) => void replies.push(reply));
    app.get('/returned', (_request, reply) => {
      replies.push(reply);
      return reply;
    });
    app.get('/returned-later', async (_request, reply) => {
      replies.push(reply);
      await aRound();
      return reply;
    });
    const call = await serve(app);
    const abortedCalls = [call('/')];
    await until(() => replies.length === 1);
    abortedCalls.push(call('/returned'), call('/returned-later'));
    await until(() => replies.length === 3);
    await aRound();
    const closed = replies.map(({ raw }) => once(raw.req.socket, 'close'));
    for (const each of abortedCalls) each.abort();
    await Promise.all(closed);
    await aRound();
    expect(limit.holders).toBe(3);
    replies[0]?.send('into the void');
    await counts(limit, 2);
    clock.advance(30_000);
    expect(limit.holders).toBe(0);
  });

  it('rejects queued requests on shutdown if preClose closes the limit', async () => {
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

  it('runs the response hooks for a rejected request, and they see its admission', async () => {
    const limit = limited({ limit: 1, queueLimit: 0 });
    const latch = new Latch();
    const seen: unknown[] = [];
    const app = create();
    app.addHook('onSend', async (_request, reply) => void reply.header('X-Around', 'yes'));
    app.addHook('onResponse', async ({ admission }) => {
      seen.push(admission?.rejection?.reason);
    });
    await app.register(limit);
    app.get('/', () => latch.opened);
    const call = await serve(app);
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
    const limit = limited({ limit: 1, queueLimit: 0 });
    const app = create();
    await app.register(limit);
    app.post('/', async (request) => request.body);
    for (const round of [1, 2, 3]) {
      const response = await app.inject({ method: 'POST', url: '/', payload: { round } });
      expect(response.json()).toEqual({ round });
      await counts(limit, 0);
    }
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
