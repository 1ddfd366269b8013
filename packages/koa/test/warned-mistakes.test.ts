import { concurrencyLimit } from '@headgate/koa';
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
