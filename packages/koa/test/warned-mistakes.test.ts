import { concurrencyLimit, ipKey } from '@headgate/koa';
import { collectWarnings } from '@headgate/test-suite/kit';
import Router from '@koa/router';
import Koa from 'koa';
import request from 'supertest';
import { expect, it } from 'vitest';

it('Koa middleware warns about a limit behind the router at the first request that reaches it', async () => {
  const warnings = collectWarnings('HEADGATE_BEHIND_ROUTES');
  const router = new Router().get('/', (ctx) => {
    ctx.body = 'ok';
  });
  const app = new Koa().use(router.routes()).use(concurrencyLimit({ limit: 1 }) as Koa.Middleware);
  const listener = app.callback();
  for (const [path, expected] of [
    ['/', 0],
    ['/none', 1],
    ['/none', 1],
  ] as const) {
    await request(listener).get(path);
    expect(warnings).toHaveLength(expected);
  }
});

it('Koa middleware does not warn about a limit in front of the router', async () => {
  const warnings = collectWarnings('HEADGATE_BEHIND_ROUTES');
  const app = new Koa()
    .use(concurrencyLimit({ limit: 1 }) as Koa.Middleware)
    .use(new Router().routes());
  await request(app.callback()).get('/none');
  expect(warnings).toEqual([]);
});

it.each([
  [{ proxy: true, maxIpsCount: 1 }, 0],
  [{ proxy: true }, 1],
])('Koa with %j warns %i times about a key that clients can choose', async (options, count) => {
  const warnings = collectWarnings('HEADGATE_PERMISSIVE_PROXY');
  const limit = concurrencyLimit({ name: 'clients', limit: 1, key: (ctx) => ipKey(ctx.ip) });
  const app = new Koa(options).use(limit as Koa.Middleware);
  for (let call = 0; call < 2; call++)
    await request(app.callback()).get('/').set('X-Forwarded-For', '203.0.113.7');
  expect(warnings).toEqual(Array(count).fill(expect.stringMatching(/key of limit "clients"/)));
});
