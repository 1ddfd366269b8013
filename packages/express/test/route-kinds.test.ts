import { concurrencyLimit } from '@headgate/express';
import { counts, worldOfEachTest } from '@headgate/test-suite';
import { recordingLimit } from '@headgate/test-suite/kit';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import express4 from 'express4';
import { describe, expect, it } from 'vitest';
import { expressFramework } from './framework.ts';

const handle: RequestHandler = (_req, res) => void res.send('ok');

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
])('the kinds of routes in %s', (name, version) => {
  const world = worldOfEachTest(expressFramework(name, version));

  /** The kinds of requests, such as `/a` or `/a POST`; `status` is that of their responses. */
  async function kindsOf(add: (app: Express) => unknown, requests: string[], status = 200) {
    const { samples, limit } = recordingLimit();
    const limited = world.watch(concurrencyLimit({ limit }));
    const app = version().use(limited);
    add(app);
    const running = await world.serveThrough(() => app);
    for (const request of requests) {
      const [path, method = 'GET'] = request.split(' ') as [string, string?];
      expect(await running.call(path, { method }).answer()).toMatchObject({ status });
      await counts(limited, 0);
    }
    return samples.map(({ kind }) => kind);
  }

  it('differ for paths given as a RegExp', async () => {
    const add = (app: Express) => app.get(/^\/a/, handle).get(/^\/b/, handle);
    const [a1, a2, b] = await kindsOf(add, ['/a/1', '/a/2', '/b/1']);
    expect(a1).toContain('GET /^\\/a/');
    expect([a2, b === a1]).toEqual([a1, false]);
  });

  it('are the same for the paths of one route, given as an array', async () => {
    const add = (app: Express) => app.get(['/a', '/b'], handle).get(['/c', '/d'], handle);
    const [a, b, c, d] = await kindsOf(add, ['/a', '/b', '/c', '/d']);
    expect(a).toContain('GET /a,/b');
    expect([b, d, c === a]).toEqual([a, c, false]);
  });

  it('differ for equal routes of two mounted applications', async () => {
    const add = (app: Express) => {
      for (const path of ['/a', '/b']) app.use(path, version().get('/', handle));
    };
    const [a, b] = await kindsOf(add, ['/a', '/b']);
    expect([a, b]).toEqual([expect.stringContaining('GET / '), expect.stringContaining('GET / ')]);
    expect(a).not.toBe(b);
  });

  it('differ for equal routes of two mounted routers whose errors the app handles', async () => {
    const fail: RequestHandler = (_req, _res, next) => next(new Error('a bug of the app'));
    const answer: ErrorRequestHandler = (_error, _req, res, _next) => void res.sendStatus(500);
    const add = (app: Express) => {
      for (const path of ['/a', '/b']) app.use(path, version.Router().get('/', fail));
      app.use(answer);
    };
    expect(new Set(await kindsOf(add, ['/a', '/b'], 500)).size).toBe(2);
  });

  it('differ for the methods of one route', async () => {
    const add = (app: Express) => app.route('/').get(handle).post(handle);
    expect(new Set(await kindsOf(add, ['/ GET', '/ POST'])).size).toBe(2);
  });

  it('are the same for all methods of an `all` route, since clients can make up methods', async () => {
    const add = (app: Express) => app.get('/b', handle).route('/a').all(handle);
    const requests = ['/a GET', '/a POST', '/a PURGE', '/b GET', '/b HEAD'];
    const [get, post, purge, b, head] = await kindsOf(add, requests);
    expect(get).toContain('ALL /a');
    expect([post, purge, head]).toEqual([get, get, b]);
  });

  it('are undefined for requests that app.use handles', async () => {
    const add = (app: Express) => app.use('/:tenant/files', handle).use('/graphql', handle);
    const kinds = await kindsOf(add, ['/acme/files', '/globex/files', '/graphql']);
    expect(kinds).toEqual([undefined, undefined, undefined]);
  });
});
