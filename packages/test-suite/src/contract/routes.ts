import { expect, it } from 'vitest';
import { ok } from '../kit/handlers.ts';
import { collectWarnings } from '../kit/output.ts';
import type { World } from '../kit/world.ts';

export function routes(world: World): void {
  /** Compares how often a route's limit applied with how often the framework ran the route's handler. */
  async function compare(
    route: string,
    prefix: string,
    path: string,
    asked: string,
    method = 'GET',
  ) {
    let handled = 0;
    const limit = world.limit({ limits: [{ name: 'route', limit: 1, route }] });
    const handle = {
      ...{ path, method: 'GET' as const },
      handle: (context: Parameters<typeof ok>[0]) => {
        handled++;
        return ok(context);
      },
    };
    const steps = prefix === '' ? [handle] : [{ mount: prefix, steps: [handle] }];
    const app = await world.serve({ use: limit }, ...steps);
    const { status } = await app.call(asked, { method }).answer();
    // Some frameworks handle a path without a route, or one that they cannot decode, as an error.
    if (status !== 200) app.ignoreErrors();
    return { limited: limit.stats().limits[0]?.admitted, handled };
  }

  it.each([
    '/reports/1',
    '/reports/1/',
    '/reports/1?page=2',
    '/Reports/1',
    '/REPORTS/1/',
    '/reports',
    '/reports/',
    '/reports/1/pages',
    '/reports//1',
    '//reports/1',
    '/rep%6Frts/1',
    '/reports/%31',
    '/reports/a%2Fb',
    '/reports/%E2%82%AC',
    '/reports/a+b',
    '/reports/1.json',
    '/other/1',
    'http://example.com/reports/1',
    'http://example.com/reports/1?page=2',
  ])('limits a route exactly where the framework routes: %s', async (asked) => {
    const { limited, handled } = await compare('GET /reports/:id', '', '/reports/:id', asked);
    expect(limited).toBe(handled);
  });

  it.each([
    '/api/reports/1',
    '/api/reports/1/',
    '/API/Reports/1',
    '/reports/1',
    '/api/api/reports/1',
  ])('matches the full path, whatever the mount point: %s', async (asked) => {
    // One of the paths ends with the route.
    collectWarnings('HEADGATE_ROUTE_PREFIX');
    const { limited, handled } = await compare('/api/reports/:id', '/api', '/reports/:id', asked);
    expect(limited).toBe(handled);
  });

  it('reads the method of a route in any case', async () => {
    const { limited } = await compare('get /reports/:id', '', '/reports/:id', '/reports/1');
    expect(limited).toBe(1);
  });

  it('matches the full path inside a router', async () => {
    const limit = world.limit({ limits: [{ name: 'route', limit: 1, route: '/api/a/:id' }] });
    const handle = (path: string) => ({ path, handle: ok });
    const steps = [{ use: limit }, handle('/a/:id'), handle('/b/:id')];
    const app = await world.serve({ mount: '/api', steps });
    for (const path of ['/api/a/1', '/api/b/1']) {
      expect(await app.call(path).answer()).toMatchObject({ status: 200 });
    }
    expect(limit.stats().limits[0]).toMatchObject({ admitted: 1 });
  });

  it('applies a GET route to HEAD requests, as the framework does', async () => {
    const of = { limited: 1, handled: 1 };
    expect(await compare('GET /a', '', '/a', '/a', 'HEAD')).toEqual(of);
    expect((await compare('POST /a', '', '/a', '/a', 'HEAD')).limited).toBe(0);
  });

  it('limits every method if the route names none', async () => {
    const limit = world.limit({ limits: [{ name: 'route', limit: 1, route: '/a' }] });
    const app = await world.serve({ use: limit }, { handle: ok });
    for (const method of ['GET', 'POST', 'DELETE']) await app.call('/a', { method }).answer();
    expect(limit.stats().limits[0]).toMatchObject({ admitted: 3 });
  });

  it('passes a path that cannot be decoded to the framework', async () => {
    const { limited } = await compare('GET /reports/:id', '', '/reports/:id', '/reports/%zz');
    expect(limited).toBeLessThanOrEqual(1);
  });

  it('passes a request without a path to the framework', async () => {
    const limit = world.limit({ limits: [{ name: 'route', limit: 1, route: '/*path' }] });
    const bare = await world.serve({ handle: ok });
    const limited = await world.serve({ use: limit }, { handle: ok });
    const expected = await bare.call('*', { method: 'OPTIONS' }).answer();
    const actual = await limited.call('*', { method: 'OPTIONS' }).answer();
    expect(actual.status).toBe(expected.status);
    expect(limited.errors).toEqual([]);
  });

  it('matches any depth after a wildcard', async () => {
    const limit = world.limit({ limits: [{ name: 'files', limit: 1, route: '/files/*path' }] });
    const app = await world.serve({ use: limit }, { handle: ok });
    for (const path of ['/files/a', '/files/a/b/c', '/filesystem', '/'])
      await app.call(path).answer();
    expect(limit.stats().limits[0]).toMatchObject({ admitted: 2 });
  });

  it.each(['reports', 'GET', '/a/:', '/a/{b', '/a b', ''])(
    'throws for the route "%s" when it is created',
    (route) => {
      const create = () => world.limit({ limits: [{ name: 'route', limit: 1, route }] });
      expect(create).toThrow(
        expect.objectContaining({ code: 'ERR_HEADGATE_ROUTE', option: 'limits[0].route' }),
      );
    },
  );

  it('throws for a route that is not a string when it is created', () => {
    const create = () => world.limit({ limits: [{ name: 'a', limit: 1, route: /a/ as never }] });
    expect(create).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_ROUTE', option: 'limits[0].route' }),
    );
  });

  it('matches a long and hostile path quickly', async () => {
    const limit = world.limit({ limits: [{ name: 'route', limit: 1, route: '/a/:b-:c/*rest' }] });
    const app = await world.serve({ use: limit }, { handle: ok });
    const begun = performance.now();
    for (const piece of ['-', '/', '%', 'a-', '/a-b']) {
      await app.call(`/a/${piece.repeat(7000 / piece.length)}`).answer();
    }
    expect(performance.now() - begun).toBeLessThan(1000);
  });
}
