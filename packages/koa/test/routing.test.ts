import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/koa';
import Router from '@koa/router';
import Koa, { type Middleware } from 'koa';
import request from 'supertest';
import { expect, it } from 'vitest';

const handle: Middleware = (ctx) => {
  ctx.body = 'ok';
};

/** As koa-mount does it. */
function mount(prefix: string, inner: Middleware): Middleware {
  return async (ctx, next) => {
    const outside = ctx.path;
    const inside = outside.replace(prefix, '') || '/';
    if (!outside.startsWith(prefix) || inside[0] !== '/') return next();
    ctx.mountPath = prefix;
    ctx.path = inside;
    await inner(ctx, async () => {
      ctx.path = outside;
      await next();
      ctx.path = inside;
    });
    ctx.path = outside;
  };
}

/** What earlier middleware makes of the path. */
function rewrite(from: string, to: string): Middleware {
  return (ctx, next) => {
    ctx.path = ctx.path.replace(from, to);
    return next();
  };
}

/** One after the other, as one. */
function both(first: Middleware, second: Middleware): Middleware {
  return (ctx, next) => first(ctx, async () => second(ctx, next));
}

function reports(route = '/api/reports/:id') {
  return concurrencyLimit({ limits: [{ name: 'reports', limit: 1, route }], strict: true });
}

/** How often the limit applied to a request for this path. */
async function admitted(limit: ConcurrencyLimit, path: string, ...steps: Middleware[]) {
  const app = new Koa();
  for (const step of steps) app.use(step);
  await request(app.callback()).get(path);
  return limit.stats().admitted;
}

it('follows a path that earlier middleware has rewritten, as the routes do', async () => {
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
])('matches the full path in an app that is mounted: %s', async (path, times) => {
  const limit = reports();
  expect(await admitted(limit, path, mount('/api', both(limit, handle)))).toBe(times);
});

it('matches the full path in an app that is mounted in another', async () => {
  const limit = reports();
  const inner = mount('/reports', both(limit, handle));
  expect(await admitted(limit, '/api/reports/1', mount('/api', inner))).toBe(1);
});

it.each(['/api', '/api/'])('matches the prefix alone as it was asked for: %s', async (path) => {
  const limit = reports(path);
  expect(await admitted(limit, path, mount('/api', both(limit, handle)))).toBe(1);
});

it('matches the full path behind an app that is mounted', async () => {
  const limit = reports();
  const passing = mount('/api', (_, next) => next());
  expect(await admitted(limit, '/api/reports/1', passing, limit, handle)).toBe(1);
  const passingInside = both(
    mount('/reports', (_, next) => next()),
    both(limit, handle),
  );
  expect(await admitted(limit, '/api/reports/1', mount('/api', passingInside))).toBe(2);
});

it('follows a path that was rewritten before an app that is mounted, or in it', async () => {
  const [before, inside] = [reports(), reports()];
  const first = mount('/api', both(before, handle));
  expect(await admitted(before, '/old/reports/1', rewrite('/old', '/api'), first)).toBe(1);
  const prefixed = reports();
  const third = mount('/api', both(prefixed, handle));
  expect(await admitted(prefixed, '/reports/1', rewrite('/', '/api/'), third)).toBe(1);
  const second = mount('/api', both(rewrite('/old', '/reports'), both(inside, handle)));
  expect(await admitted(inside, '/api/old/1', second)).toBe(1);
});
