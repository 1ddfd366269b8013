import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/koa';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import request from 'supertest';
import { expect, it } from 'vitest';
import { mount } from './mount.ts';

const handle: Middleware = (ctx) => {
  ctx.body = 'ok';
};

/** Middleware that rewrites the path. */
function rewrite(from: string, to: string): Middleware {
  return (ctx, next) => {
    ctx.path = ctx.path.replace(from, to);
    return next();
  };
}

/** Composes two middleware functions. */
function compose(first: Middleware, second: Middleware): Middleware {
  return (ctx, next) => first(ctx, async () => second(ctx, next));
}

function reports(route = '/api/reports/:id') {
  return concurrencyLimit({ limits: [{ name: 'reports', limit: 1, route }] });
}

/** How often the limit applied to a request for this path. */
async function admitted(limit: ConcurrencyLimit, path: string, ...steps: Middleware[]) {
  const app = new Koa();
  for (const step of steps) app.use(step);
  await request(app.callback()).get(path);
  return limit.stats().admitted;
}

it('a route matches the path as rewritten by earlier middleware', async () => {
  const router = new Router().get('/api/reports/:id', handle as never).routes() as Middleware;
  for (const [asked, from, to, times] of [
    ['/old/1', '/old', '/api/reports', 1],
    ['/api/reports/1', '/api/reports', '/old', 0],
  ] as const) {
    const limit = reports();
    expect(await admitted(limit, asked, rewrite(from, to), limit, router)).toBe(times);
  }
});

it.each([
  ['/api/reports/1', 1],
  ['/api/reports/1?page=2', 1],
  ['/api/reports', 0],
  ['/reports/1', 0],
  ['/apireports/1', 0],
])('a route matches the full path in a mounted app: %s', async (path, times) => {
  const limit = reports();
  expect(await admitted(limit, path, mount('/api', compose(limit, handle)))).toBe(times);
});

it('a route matches the full path in a nested mounted app', async () => {
  const limit = reports();
  const inner = mount('/reports', compose(limit, handle));
  expect(await admitted(limit, '/api/reports/1', mount('/api', inner))).toBe(1);
});

it.each(['/api', '/api/'])(
  'a route matches a path that equals the mount prefix, as requested: %s',
  async (path) => {
    const limit = reports(path);
    expect(await admitted(limit, path, mount('/api', compose(limit, handle)))).toBe(1);
  },
);

it('a route matches the full path after a mounted app', async () => {
  const limit = reports();
  const passing = mount('/api', (_, next) => next());
  expect(await admitted(limit, '/api/reports/1', passing, limit, handle)).toBe(1);
  const passingInside = compose(
    mount('/reports', (_, next) => next()),
    compose(limit, handle),
  );
  expect(await admitted(limit, '/api/reports/1', mount('/api', passingInside))).toBe(2);
});

it('a route matches a path rewritten before or inside a mounted app', async () => {
  const [before, inside] = [reports(), reports()];
  const first = mount('/api', compose(before, handle));
  expect(await admitted(before, '/old/reports/1', rewrite('/old', '/api'), first)).toBe(1);
  const prefixed = reports();
  const third = mount('/api', compose(prefixed, handle));
  expect(await admitted(prefixed, '/reports/1', rewrite('/', '/api/'), third)).toBe(1);
  const second = mount('/api', compose(rewrite('/old', '/reports'), compose(inside, handle)));
  expect(await admitted(inside, '/api/old/1', second)).toBe(1);
});
