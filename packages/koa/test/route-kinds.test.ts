import { once } from 'node:events';
import http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { concurrencyLimit } from '@headgate/koa';
import { counts, worldOfEachTest } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import Koa2 from 'koa2';
import { describe, expect, it } from 'vitest';
import { koaFramework } from './framework.ts';
import { mount } from './mount.ts';

const handle = (ctx: { body: unknown }) => {
  ctx.body = 'ok';
};

function routed(router: Router): Middleware {
  return router.routes() as Middleware;
}

/** Has the same routes as any other. */
function rootRouter(options = {}): Middleware {
  return routed(new Router(options).get('/', handle));
}

describe.each([
  ['Koa 3', Koa],
  ['Koa 2', Koa2 as unknown as typeof Koa],
])('the kinds of routes in %s', (name, Version) => {
  const world = worldOfEachTest(koaFramework(name, Version));

  /** The kinds of requests for these paths. */
  async function kindsOf(middleware: readonly Middleware[], paths: string[], host = 'localhost') {
    const { samples, limit } = recordingLimit();
    const limited = world.watch(concurrencyLimit({ limit }));
    const koa = new Version().use(limited);
    for (const step of middleware) koa.use(step);
    const app = await world.serveThrough(() => koa.callback());
    for (const path of paths) {
      expect(await app.call(path, { headers: { host } }).answer()).toMatchObject({ status: 200 });
      await counts(limited, 0);
    }
    return samples.map(({ kind }) => kind);
  }

  it('differ for equal routes of two applications that koa-mount has mounted', async () => {
    const mounts = ['/a', '/b'].map((prefix) => mount(prefix, rootRouter()));
    const [a, b, again] = await kindsOf(mounts, ['/a', '/b', '/a']);
    expect([a, b]).toEqual([expect.stringContaining('GET / '), expect.stringContaining('GET / ')]);
    expect(a).not.toBe(b);
    expect(again).toBe(a);
  });

  it('differ for equal routes below equal inner prefixes of koa-mount', async () => {
    const mounts = ['/v1', '/v2'].map((prefix) => mount(prefix, mount('/a', rootRouter())));
    const kinds = await kindsOf(mounts, ['/v1/a', '/v2/a']);
    expect(new Set(kinds).size).toBe(2);
  });

  it('are the same for all values of a parameter inside koa-mount', async () => {
    const mounted = mount('/a', routed(new Router({ prefix: '/:tenant' }).get('/:id', handle)));
    const kinds = await kindsOf([mounted], ['/a/acme/1', '/a/globex/1', '/a/globex/2']);
    expect(new Set(kinds)).toEqual(new Set([expect.stringContaining('GET /:tenant/:id')]));
  });

  it('differ for equal routes of routers for two hosts', async () => {
    const routers = ['a.example', 'b.example'].map((host) => rootRouter({ host }));
    const [a] = await kindsOf(routers, ['/'], 'a.example');
    const [b] = await kindsOf(routers, ['/'], 'b.example');
    expect(a).toBeDefined();
    expect(a).not.toBe(b);
  });

  it('differ for paths given as a RegExp', async () => {
    const router = new Router().get(/^\/a/, handle).get(/^\/b/, handle);
    const [a1, a2, b] = await kindsOf([routed(router)], ['/a/1', '/a/2', '/b/1']);
    expect(a1).toBeDefined();
    expect([a2, b === a1]).toEqual([a1, false]);
  });

  it('are undefined for requests that no router has routed', async () => {
    const kinds = await kindsOf([handle as Middleware], ['/a', '/b']);
    expect(kinds).toEqual([undefined, undefined]);
  });

  it('are the same for any case of a method, since clients may choose it over HTTP/2', async () => {
    const { samples, limit } = recordingLimit();
    const limited = world.watch(concurrencyLimit({ limit }));
    const listener = new Version().use(limited).use(rootRouter()).callback();
    const server = http2.createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const session = http2.connect(`http://127.0.0.1:${port}`);
    for (const method of ['GET', 'get', 'GeT']) {
      const stream = session.request({ ':method': method });
      expect(await text(stream)).toBe('ok');
      await counts(limited, 0);
    }
    session.close();
    await once(server.close(), 'close');
    const [first, ...others] = samples.map(({ kind }) => kind);
    expect(others).toEqual([first, first]);
  });
});
