import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/express';
import { counts, until, VirtualClock, worldOfEachTest } from '@headgate/test-suite';
import { aRound } from '@headgate/test-suite/kit';
import express, { type Express } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { createProxyServer } from 'httpxy';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

const methods = [
  ['GET', undefined],
  ['POST', 'body'],
] as const;

describe('reverse proxies in Express', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  /** A server that receives the proxied requests and never responds. */
  async function silent() {
    const requests: http.IncomingMessage[] = [];
    const server = http.createServer((req) => requests.push(req)).listen(0, '127.0.0.1');
    world.later(() => server.close());
    world.later(() => server.closeAllConnections());
    await once(server, 'listening');
    return { requests, target: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  it.each(methods)(
    'release the permit of a disconnected client, since they abort the %s',
    async (method, body) => {
      const { requests, target } = await silent();
      const proxy = createProxyServer({ target });
      const limit = world.watch(concurrencyLimit({ limit: 1, clock: new VirtualClock() }));
      const app = express().use(limit, (req, res) => void proxy.web(req, res));
      const running = await world.serveThrough(() => app);
      const call = running.call('/', { method, ...(body === undefined ? {} : { body }) });
      await until(() => requests.length === 1);
      call.abort();
      await counts(limit, 0);
      await until(() => requests[0]?.socket.destroyed === true);
    },
  );

  it('hold the permit of a disconnected client if they do not abort the request', async () => {
    const { requests, target } = await silent();
    const limit = world.watch(concurrencyLimit({ limit: 1, clock: new VirtualClock() }));
    const app = express().use(limit.wrap(createProxyMiddleware({ target })));
    await leaves(limit, app, requests);
    await until(() => limit.stats().abandoned === 1);
    await aRound();
    expect(requests[0]?.socket.destroyed).toBe(false);
    requests[0]?.socket.destroy();
    await counts(limit, 0);
  });

  it("release the permit of a disconnected client immediately with onDisconnect: 'release'", async () => {
    const { requests, target } = await silent();
    const limit = world.watch(concurrencyLimit({ limit: 1, onDisconnect: 'release' }));
    const app = express().use(limit, createProxyMiddleware({ target }));
    await leaves(limit, app, requests);
    await counts(limit, 0);
  });

  /** A client disconnects while the proxy waits for its target. */
  async function leaves(limit: ConcurrencyLimit, app: Express, requests: unknown[]) {
    const running = await world.serveThrough(() => app);
    const call = running.call();
    await until(() => requests.length === 1);
    expect(limit.holders).toBe(1);
    call.abort();
  }
});
