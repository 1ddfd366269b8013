import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { concurrencyLimit } from '@headgate/node';
import { Call, counts, Latch, RawSocket, until, worldOfEachTest } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { createLimiter } from '../../src/index.ts';
import { expressFramework } from '../framework.ts';
import { type Handle, servers } from './servers.ts';

const world = worldOfEachTest(expressFramework('Express 5', express));

/** Starts a server of this framework; `seen` are the requests that its middleware has seen. */
async function start(
  name: string,
  parts: Omit<Parameters<(typeof servers)[string]>[0], 'seen' | 'handle'>,
  handle: Handle = (path) => path,
) {
  const seen: string[] = [];
  const create = servers[name] as (typeof servers)[string];
  const server = await create({ ...parts, seen: (path) => seen.push(path), handle });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.later(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, port, seen, call: (path: string) => new Call(port, path, {}) };
}

/** The same with a running request, which holds the only permit until `latch` opens. */
async function startBusy(name: string, queueLimit: number) {
  const latch = new Latch();
  const limit = world.watch(concurrencyLimit({ limit: 1, queueLimit }));
  const app = await start(name, { limit }, async (path) => {
    if (path === '/a/holder') await latch.opened;
    return path;
  });
  const holder = app.call('/a/holder');
  await until(() => app.seen.length === 1);
  return { ...app, limit, latch, holder };
}

describe.each(Object.keys(servers))('a limit in front of %s', (name) => {
  it('rejects requests before any middleware runs', async () => {
    const { call, seen, latch, holder } = await startBusy(name, 0);
    const { status, headers, body } = await call('/a/1').answer();
    expect({ status, seen }).toEqual({ status: 503, seen: ['/a/holder'] });
    expect(headers['retry-after']).toMatch(/^\d+$/);
    expect(JSON.parse(body)).toMatchObject({ reason: 'full' });
    latch.open();
    expect(await holder.answer()).toMatchObject({ status: 200, body: '/a/holder' });
  });

  it('queues requests before any middleware runs', async () => {
    const { call, seen, latch, holder, limit } = await startBusy(name, 1);
    const waiter = call('/a/waiter');
    await counts(limit, 1, 1);
    expect(seen).toEqual(['/a/holder']);
    latch.open();
    expect(await holder.answer()).toMatchObject({ status: 200 });
    expect(await waiter.answer()).toMatchObject({ status: 200, body: '/a/waiter' });
  });

  it('drops a queued request whose client disconnects', async () => {
    const { call, seen, latch, holder, limit } = await startBusy(name, 1);
    const waiter = call('/a/waiter');
    await counts(limit, 1, 1);
    waiter.abort();
    await counts(limit, 1, 0);
    latch.open();
    await holder.answer();
    await counts(limit, 0);
    expect(seen).toEqual(['/a/holder']);
    expect(limit.stats()).toMatchObject({ admitted: 1, rejected: {}, withdrawn: 1 });
  });

  it('counts a request once with a limit inside that has the same limiter', async () => {
    const inside = world.watch(createLimiter({ limit: 1, queueLimit: 0 }));
    const limit = concurrencyLimit({ limiter: inside });
    const inflight: number[] = [];
    const { call } = await start(name, { limit, inside }, (path) => {
      inflight.push(inside.inflight);
      return path;
    });
    for (const path of ['/a/1', '/a/2']) {
      expect(await call(path).answer()).toMatchObject({ status: 200 });
      await counts(inside, 0);
    }
    expect(inflight).toEqual([1, 1]);
    expect(inside.stats()).toMatchObject({ admitted: 2 });
  });

  it('has a latency baseline for each route', async () => {
    const { samples, limit: factory } = recordingLimit();
    const limiter = world.watch(createLimiter({ limit: factory }));
    const limit = concurrencyLimit({ limiter });
    // Express alone shows its route to the limit in front.
    const parts = name === 'Express' ? { limit } : { limit, inside: limiter };
    const { call } = await start(name, parts, async (path) => {
      await new Promise((resolve) => setTimeout(resolve, path.startsWith('/a/') ? 5 : 100));
      return path;
    });
    for (const path of ['/a/1', '/b/1', '/a/2', '/b/2']) {
      await call(path).answer();
      await counts(limiter, 0);
    }
    const [a1, b1, a2, b2] = samples;
    expect([a1?.kind, b1?.kind]).toEqual([
      expect.stringContaining('/a/:id'),
      expect.stringContaining('/b/:id'),
    ]);
    expect([a2?.kind, b2?.kind]).toEqual([a1?.kind, b1?.kind]);
    expect(b1?.rtt).toBeGreaterThan(90);
  });

  it('leaves upgraded connections to the server', async () => {
    const limit = world.watch(concurrencyLimit({ limit: 1, queueLimit: 0 }));
    const { server, port, call } = await start(name, { limit });
    server.on('upgrade', (_request, socket: Socket) => {
      socket.write(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: test\r\nConnection: Upgrade\r\n\r\n',
      );
      socket.pipe(socket);
    });
    const headers = { Connection: 'Upgrade', Upgrade: 'test' };
    const request = http.get({ port, host: '127.0.0.1', headers });
    const [, socket] = (await once(request, 'upgrade')) as [unknown, Socket];
    expect(limit.holders).toBe(0);
    expect(await call('/a/1').answer()).toMatchObject({ status: 200 });
    socket.write('ping');
    expect(String((await once(socket, 'data'))[0])).toBe('ping');
    socket.destroy();
  });

  it('rejects a client that waits for 100 Continue without asking for its body', async () => {
    const { server, port, latch, holder } = await startBusy(name, 0);
    const [listener] = server.listeners('request') as [http.RequestListener];
    server.on('checkContinue', listener);
    const client = new RawSocket(port);
    world.later(() => client.destroy());
    client.request('GET /a/1', 'Content-Length: 1000', 'Expect: 100-continue');
    await client.receives(/violated-policies/);
    expect(client.statuses).toEqual(['503']);
    latch.open();
    await holder.answer();
  });
});
