import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLimiter } from '@headgate/core';
import { expect, it, vi } from 'vitest';
import type { Step, SuiteHandler } from '../framework.ts';
import { ok, Paused } from '../kit/handlers.ts';
import { collectWarnings } from '../kit/output.ts';
import { counts, until } from '../kit/until.ts';
import type { Running, World } from '../kit/world.ts';

/** The status of a request to a server of this process. */
type Get = (url: string) => Promise<number>;

const withFetch: Get = async (url) => {
  const response = await fetch(url);
  await response.text();
  return response.status;
};

const withAgent =
  (agent: http.Agent | false): Get =>
  async (url) => {
    const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
      http.get(url, { agent }, resolve).on('error', reject),
    );
    await text(response);
    return response.statusCode ?? 0;
  };

/** An agent with one connection. */
function oneConnection(world: World): http.Agent {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  world.later(() => agent.destroy());
  return agent;
}

/** Starts an app whose page makes the calls of `page`, which receives the app's address. */
async function serve(world: World, before: readonly Step[], page: Get): Promise<Running> {
  let app: Running | undefined;
  const handle: SuiteHandler = async (context) => context.send(await page(`${app?.url}`));
  app = await world.serve(...before, { path: '/page', handle });
  return app;
}

export function ownCalls(world: World): void {
  it.each<[string, Get]>([
    ['fetch', withFetch],
    ['http.get', withAgent(false)],
    ['http.get over kept connections', withAgent(http.globalAgent)],
  ])("an app's own call runs on the permit of the request that made it: %s", async (_, get) => {
    const limit = world.limit({ limit: 1 });
    const steps = [{ use: limit }, { path: '/inner', handle: ok }];
    const app = await serve(world, steps, (url) => get(`${url}/inner`));
    const calls = Array.from({ length: 5 }, () => app.call('/page').answer());
    for (const call of calls) expect(await call).toMatchObject({ status: 200 });
    expect(limit.stats()).toMatchObject({ reentered: 5, skipped: 0, admitted: 5 });
  });

  it('so does the own call of an own call', async () => {
    const limit = world.limit({ limit: 1 });
    let app: Running | undefined;
    const relay =
      (path: string): SuiteHandler =>
      async (context) =>
        context.send(await withFetch(`${app?.url}${path}`));
    app = await world.serve(
      { use: limit },
      { path: '/inner', handle: ok },
      { path: '/middle', handle: relay('/inner') },
      { path: '/page', handle: relay('/middle') },
    );
    expect(await app.call('/page').answer()).toMatchObject({ status: 200 });
    expect(limit.stats()).toMatchObject({ reentered: 2, admitted: 1 });
  });

  it.each<[string, { limit?: number }]>([
    ['a fixed limit', { limit: 2 }],
    ['the default limit', {}],
  ])('a page that calls itself forever is rejected in the end by %s', async (_, options) => {
    collectWarnings('HEADGATE_NESTED_WAIT');
    const limit = world.limit({ ...options, queueTimeout: 5_000 });
    const page = vi.fn((url: string) => withFetch(`${url}/page`));
    const app = await serve(world, [{ use: limit }], page);
    expect(await app.call('/page').answer()).toMatchObject({ status: 503 });
    // Each permit is used by the request that holds it and ten inner ones.
    if (options.limit === 2) expect(page).toHaveBeenCalledTimes(22);
    await counts(limit, 0, 0);
  });

  it('requests through a gateway in the same process count', async () => {
    const limit = world.limit({ limit: 4, queueLimit: 0 });
    const work = new Paused();
    const app = await world.serve({ use: limit }, { handle: work.handler });
    const agent = new http.Agent({ keepAlive: true });
    world.later(() => agent.destroy());
    const gateway = http.createServer(async (_, res) => {
      res.writeHead(await withAgent(agent)(app.url)).end();
    });
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    world.later(() => gateway.close());
    const { port } = gateway.address() as AddressInfo;
    const statuses: number[] = [];
    const calls = Array.from({ length: 30 }, async () => {
      statuses.push(await withAgent(false)(`http://127.0.0.1:${port}/`));
    });
    await until(() => statuses.length === 26);
    expect(work.begun.length).toBe(4);
    work.finishAll();
    await Promise.all(calls);
    expect(statuses.filter((status) => status === 200).length).toBe(4);
  });

  it('limits that the calling request does not hold apply as usual', async () => {
    const pages = world.limit({ name: 'pages', limit: 1 });
    const inner = world.watch(createLimiter({ name: 'inner', limit: 1, queueLimit: 0 }));
    const limited = world.limit({ limiter: inner, route: '/inner' });
    const steps = [{ use: pages }, { use: limited }, { path: '/inner', handle: ok }];
    const app = await serve(world, steps, (url) => withFetch(`${url}/inner`));
    const permit = inner.tryAcquire();
    expect(await app.call('/page').answer()).toMatchObject({ status: 503 });
    permit?.release();
    expect(await app.call('/page').answer()).toMatchObject({ status: 200 });
    expect(pages.stats()).toMatchObject({ admitted: 2, reentered: 2 });
    expect(inner.stats()).toMatchObject({ admitted: 2 });
  });

  it('a call from elsewhere over the same connection waits', async () => {
    const agent = oneConnection(world);
    const limit = world.limit({ limit: 1 });
    const before = [{ use: limit }, { path: '/inner', handle: ok }];
    let finish = () => {};
    const app = await serve(world, before, async (url) => {
      const status = await withAgent(agent)(`${url}/inner`);
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return status;
    });
    const page = app.call('/page');
    await until(() => Object.keys(agent.freeSockets).length === 1);
    const other = withAgent(agent)(`${app.url}/inner`);
    await counts(limit, 1, 1);
    expect(app.sockets.length).toBe(2);
    finish();
    expect(await page.answer()).toMatchObject({ status: 200 });
    expect(await other).toBe(200);
    expect(limit.stats().reentered).toBe(1);
  });

  it('an own call through a proxy waits like a request of a client', async () => {
    collectWarnings('HEADGATE_NESTED_WAIT');
    const limit = world.limit({ limit: 1, queueTimeout: 20 });
    const before = [{ use: limit }, { path: '/inner', handle: ok }];
    let port = 0;
    const app = await serve(world, before, () => withFetch(`http://127.0.0.1:${port}/inner`));
    const proxy = net.createServer((client) => {
      const { hostname, port: target } = new URL(app.url);
      const server = net.connect(Number(target), hostname);
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) socket.on('error', () => {});
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    world.later(() => proxy.close());
    ({ port } = proxy.address() as AddressInfo);
    expect(await app.call('/page').answer()).toMatchObject({ status: 503 });
    expect(limit.stats().reentered).toBe(0);
  });

  it('the permit is held until an own call that outlives its request is done', async () => {
    const limit = world.limit({ limit: 1 });
    const work = new Paused();
    let inner: Promise<number> | undefined;
    const before = [{ use: limit }, { path: '/inner', handle: work.handler }];
    const app = await serve(world, before, async (url) => {
      inner = withFetch(`${url}/inner`);
      await work.begins(1);
      return 202;
    });
    expect(await app.call('/page').answer()).toMatchObject({ status: 202 });
    const next = app.call('/inner');
    await counts(limit, 1, 1);
    work.finish();
    expect(await inner).toBe(200);
    await work.begins(2);
    work.finish();
    expect(await next.answer()).toMatchObject({ status: 200 });
  });

  it('own calls run on the permits of the default limit', async () => {
    const limit = world.limit({});
    const steps = [{ use: limit }, { path: '/inner', handle: ok }];
    const app = await serve(world, steps, (url) => withFetch(`${url}/inner`));
    const calls = Array.from({ length: 12 }, () => app.call('/page').answer());
    for (const call of calls) expect(await call).toMatchObject({ status: 200 });
    expect(limit.stats()).toMatchObject({ reentered: 12, admitted: 12 });
  });
}
