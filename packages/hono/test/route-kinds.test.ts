import { once } from 'node:events';
import http2 from 'node:http2';
import { concurrencyLimit } from '@headgate/hono';
import { counts, worldOfEachTest } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import { getRequestListener } from '@hono/node-server';
import { type Handler, Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { honoFramework } from './framework.ts';

const handle: Handler = (c) => c.text('ok');

describe('the kinds of routes in Hono', () => {
  const world = worldOfEachTest(honoFramework('Hono 4', Hono));

  /** The kinds of requests for these paths. */
  async function kindsOf(add: (app: Hono) => unknown, paths: string[]) {
    const { samples, limit } = recordingLimit();
    const limited = world.watch(concurrencyLimit({ limit }));
    const app = new Hono();
    app.use(limited);
    add(app);
    const running = await world.serveThrough(() => getRequestListener(app.fetch) as never);
    for (const path of paths) {
      await running.call(path).answer();
      await counts(limited, 0);
    }
    return samples.map(({ kind }) => kind);
  }

  it('are the full patterns for base paths and for routers with an error handler', async () => {
    const add = (app: Hono) => {
      app.basePath('/:tenant/a').get('/:id', handle);
      const broken = new Hono().get('/:id', () => {
        throw new Error('a bug of the app');
      });
      app.route(
        '/:tenant/b',
        broken.onError((_, c) => c.text('failed', 500)),
      );
    };
    const paths = ['/acme/a/1', '/globex/a/2', '/acme/b/1', '/globex/b/2'];
    const [a, b] = ['GET /:tenant/a/:id', 'GET /:tenant/b/:id'];
    expect(await kindsOf(add, paths)).toEqual([a, a, b, b]);
  });

  it('are those of the mount point for applications mounted with app.mount', async () => {
    const add = (app: Hono) => {
      for (const path of ['/a', '/b']) app.mount(path, new Hono().get('/', handle).fetch);
    };
    expect(await kindsOf(add, ['/a', '/b', '/b/x'])).toEqual(['ALL /a/*', 'ALL /b/*', 'ALL /b/*']);
  });

  it('are the same for every method that a client makes up', async () => {
    const { samples, limit } = recordingLimit();
    const middleware = world.limit({ limit });
    const app = await world.serveHttp2({ use: middleware });
    const session = http2.connect(app.url).on('error', () => {});
    world.later(() => session.destroy());
    for (const method of ['GET', 'INVENTED', 'OTHER']) {
      const stream = session.request({ ':method': method, ':path': '/' });
      const [headers] = await once(stream.resume(), 'response');
      expect(headers[':status']).toBe(404);
      await counts(middleware, 0);
    }
    expect(samples.map(({ kind }) => kind)).toEqual(Array(3).fill('ALL /*'));
  });
});
