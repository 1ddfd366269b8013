import http from 'node:http';
import { PassThrough } from 'node:stream';
import { lifo } from '@headgate/core';
import { expect, it } from 'vitest';
import { busy } from '../kit/busy.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { Latch } from '../kit/latch.ts';
import { aRound, counts, until } from '../kit/until.ts';
import { VirtualClock } from '../kit/virtual-clock.ts';
import type { World } from '../kit/world.ts';

export function connections(world: World): void {
  it('leaves no listeners on a connection that is reused', async () => {
    const limit = world.limit({ limit: 1, queueLimit: 1 });
    const app = await world.serve({ use: limit }, { handle: ok });
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    world.later(() => agent.destroy());
    const listeners = [];
    for (let round = 0; round < 30; round++) {
      expect(await app.call('/', { agent }).answer()).toMatchObject({ status: 200 });
      await counts(limit, 0);
      listeners.push(app.sockets[0]?.listenerCount('close'));
    }
    expect(app.sockets).toHaveLength(1);
    expect(listeners.at(-1)).toBe(listeners[1]);
  });

  it('responds to pipelined requests in order, whichever of them are queued', async () => {
    const limit = world.limit({ limit: 1, queueLimit: 9 });
    const app = await world.serve({ use: limit }, { handle: ({ path, send }) => send(200, path) });
    const raw = app.raw();
    for (const path of ['/a', '/b', '/c', '/d']) raw.request(`GET ${path}`);
    await raw.receives(/\/d$/);
    expect(raw.statuses).toEqual(['200', '200', '200', '200']);
    expect(raw.received.match(/\/[a-d](?=HTTP|$)/g)).toEqual(['/a', '/b', '/c', '/d']);
    await raw.destroy();
  });

  it.each([
    ['lifo', { order: lifo() }],
    ['by priority', { priority: ({ path }: { path: string }) => (path === '/b' ? 'high' : 'low') }],
  ] as const)(
    'responds to pipelined requests even if the later one is admitted first: %s',
    async (_, options) => {
      const clock = new VirtualClock();
      const { app, limit, work, holder } = await busy(world, { ...options, queueLimit: 9, clock });
      const raw = app.raw();
      for (const path of ['/a', '/b']) raw.request(`GET ${path}`);
      await counts(limit, 1, 2);
      work.finishAll();
      await raw.receives(/\/b$/);
      expect(raw.received.match(/\/[a-d](?=HTTP|$)/g)).toEqual(['/a', '/b']);
      expect(work.paths).toEqual(['/holder', '/b', '/a']);
      await holder.answer();
      await raw.destroy();
    },
  );

  it('answers a pipelined request that waits for the permit of a later, destroyed request', async () => {
    const clock = new VirtualClock();
    const limit = world.limit({ limit: 1, order: lifo(), queueLimit: 9, clock });
    const held = new Latch();
    const app = await world.serve(
      { use: limit },
      {
        async handle({ path, outgoing, send }) {
          if (path === '/holder') await held.opened;
          if (path === '/b') outgoing.destroy();
          else send(200, path);
        },
      },
    );
    const holder = app.call('/holder');
    await counts(limit, 1);
    const raw = app.raw();
    for (const path of ['/a', '/b']) raw.request(`GET ${path}`);
    await counts(limit, 1, 2);
    held.open();
    await raw.receives(/200 OK[\s\S]*\/a/);
    await holder.answer();
    await until(() => raw.ended);
    await counts(limit, 0);
  });

  it('releases the permits of responses that are blocked by an earlier one on their connection', async () => {
    const body = new PassThrough();
    const limit = world.limit({ limit: 9 });
    const app = await world.serve(
      { use: limit },
      { path: '/stream', handle: (context) => context.stream(body) },
      { handle: ok },
    );
    const raw = app.raw();
    for (const path of ['/stream', '/a', '/b', '/c']) raw.request(`GET ${path}`);
    body.write('one');
    await raw.receives(/one/);
    await counts(limit, 1);
    expect(limit.stats().admitted).toBe(4);
    body.end();
    await raw.receives(/ok[\s\S]*ok[\s\S]*ok$/);
    await raw.destroy();
  });

  it('leaves no listeners on a connection with pipelined requests', async () => {
    const limit = world.limit({ limit: 2, queueLimit: 9 });
    const app = await world.serve({ use: limit }, { handle: ({ path, send }) => send(200, path) });
    const raw = app.raw();
    const listeners = [];
    for (let round = 0; round < 15; round++) {
      for (const path of ['a', 'b', 'c', 'd']) raw.request(`GET /${path}${round}`);
      await raw.receives(new RegExp(`/d${round}$`));
      await counts(limit, 0);
      listeners.push(app.sockets[0]?.listenerCount('close'));
    }
    expect(listeners.at(-1)).toBe(listeners[1]);
    await raw.destroy();
  });

  it('adds one listener to a connection, however many requests are pipelined', async () => {
    const limit = world.limit({ limit: 20 });
    const work = new Paused();
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const listeners = async (count: number) => {
      const raw = app.raw();
      const begun = work.begun.length;
      for (let index = 1; index <= count; index++) raw.request(`GET /${index}`);
      await work.begins(begun + count);
      world.later(() => raw.destroy());
      return app.sockets.at(-1)?.listenerCount('close');
    };
    const ofTwo = await listeners(2);
    expect(await listeners(15)).toBe(ofTwo);
    work.finishAll();
    await counts(limit, 0);
  });

  it('responds to pipelined requests in order if one is rejected', async () => {
    const { app, limit, work, holder } = await busy(world, { limit: 2 });
    const raw = app.raw();
    for (const path of ['/a', '/b']) raw.request(`GET ${path}`);
    await counts(limit, 2);
    expect(raw.received).toBe('');
    work.finishAll();
    await raw.receives(/503/);
    expect(raw.statuses).toEqual(['200', '503']);
    await holder.answer();
    await raw.destroy();
  });

  it('releases the permits of all pipelined requests when their connection breaks', async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 10, queueLimit: 9 });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const raws = Array.from({ length: 5 }, () => app.raw());
    for (const raw of raws) for (const path of ['/a', '/b', '/c']) raw.request(`GET ${path}`);
    await counts(limit, 10, 5);
    await work.begins(10);
    // Not `once()`, which rejects if a socket reports an error first, as on Deno.
    const closed = app.sockets.map((socket) => new Promise((close) => socket.on('close', close)));
    for (const raw of raws) await raw.destroy();
    await Promise.all(closed);
    await counts(limit, 10, 0);
    expect(limit.stats().withdrawn).toBe(5);
    for (const { admission } of work.begun) expect(admission?.permit?.signal.aborted).toBe(true);
    work.finishAll();
    await counts(limit, 0);
    expect(work.begun).toHaveLength(10);
  });

  it("releases the permits of a broken connection immediately with onDisconnect: 'release'", async () => {
    const work = new Paused();
    const limit = world.limit({ limit: 9, onDisconnect: 'release' });
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const raw = app.raw();
    for (const path of ['/a', '/b', '/c']) raw.request(`GET ${path}`);
    await counts(limit, 3);
    await raw.destroy();
    await counts(limit, 0);
    work.finishAll();
    await aRound();
  });

  it('does not affect upgraded connections', async () => {
    const { app, limit, work, holder } = await busy(world);
    app.server.on('upgrade', (_: unknown, socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n',
      );
      socket.pipe(socket);
    });
    const raw = app.raw();
    raw.request('GET /socket', 'Connection: Upgrade', 'Upgrade: echo');
    await raw.receives(/101/);
    raw.socket.write('hello');
    await raw.receives(/hello$/);
    expect(limit.stats()).toMatchObject({ holders: 1, admitted: 1, rejected: { full: 0 } });
    work.finishAll();
    await holder.answer();
    raw.socket.write(' again');
    await raw.receives(/hello again$/);
    await raw.destroy();
  });
}
