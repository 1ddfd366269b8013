import { concurrencyLimit } from '@headgate/fastify';
import { Call, counts, Latch } from '@headgate/test-suite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { appsOfEachTest, versions } from './apps.ts';

describe.each(versions)('the routes of %s', (name, create) => {
  const { limited, serve } = appsOfEachTest(name, create);

  describe('encapsulation', () => {
    it('applies to the routes of its instance and of the plugins within, and to no others', async () => {
      const limit = limited({ limit: 9 });
      const app = create();
      app.register(async (scope) => {
        await scope.register(limit);
        scope.get('/inside', async () => 'ok');
        scope.register(async (inner) => {
          inner.get('/within', async () => 'ok');
        });
      });
      app.get('/outside', async () => 'ok');
      const call = await serve(app);
      for (const path of ['/inside', '/within', '/outside']) {
        expect(await call(path).answer()).toMatchObject({ status: 200 });
      }
      expect(limit.stats().admitted).toBe(2);
    });

    it('applies once even if it is registered in two nested instances', async () => {
      const limit = limited({ limit: 1 });
      const app = create();
      await app.register(limit);
      app.register(async (scope) => {
        await scope.register(limit);
        scope.get('/', async () => 'ok');
      });
      const call = await serve(app);
      expect(await call('/').answer()).toMatchObject({ status: 200 });
      expect(limit.stats()).toMatchObject({ admitted: 1, reentered: 1 });
    });

    it('applies to unknown paths, and to routes added before it was loaded', async () => {
      const limit = limited({ limit: 9 });
      const app = create();
      app.register(limit);
      app.get('/', async (request) => `${request.admission.permit?.weight}`);
      const call = await serve(app);
      expect(await call('/').answer()).toMatchObject({ body: '1' });
      expect(await call('/unknown').answer()).toMatchObject({ status: 404 });
      expect(limit.stats().admitted).toBe(2);
    });
  });

  describe('the configuration of a route', () => {
    it('sets another limit instead of the registered one, or none', async () => {
      const [limit, reports] = [
        limited({ limit: 1, queueLimit: 0 }),
        limited({ name: 'reports', limit: 1, queueLimit: 0 }),
      ];
      const latch = new Latch();
      const app = create();
      await app.register(limit);
      app.get('/', () => latch.opened);
      app.get('/reports', { config: { concurrencyLimit: reports } }, () => latch.opened);
      app.get('/health', { config: { concurrencyLimit: false } }, async ({ admission }) => {
        return `${admission.permit} ${admission.waited}`;
      });
      const call = await serve(app);
      const holders = [call('/').answer(), call('/reports').answer()];
      await counts(limit, 1);
      await counts(reports, 1);
      expect(await call('/health').answer()).toMatchObject({ body: 'undefined 0' });
      const refused = await call('/reports').answer();
      expect(refused.status).toBe(503);
      expect(JSON.parse(refused.body)).toMatchObject({ 'violated-policies': ['reports'] });
      latch.open();
      await Promise.all(holders);
    });

    it.each([{ limit: 4 }, true, () => {}])(
      'throws for anything else when the route is added: %s',
      async (value) => {
        const app = create();
        await app.register(limited({ limit: 1 }));
        const add = () =>
          app.get('/', { config: { concurrencyLimit: value as never } }, async () => 'ok');
        expect(add).toThrow(
          expect.objectContaining({
            code: 'ERR_HEADGATE_OPTION',
            option: 'config.concurrencyLimit',
          }),
        );
      },
    );

    it('responds with 500 if the route was added before the plugin could check it', async () => {
      const app = create();
      app.register(limited({ limit: 1 }));
      app.get('/', { config: { concurrencyLimit: (() => {}) as never } }, async () => 'ok');
      const call = await serve(app);
      const { status, body } = await call('/').answer();
      expect(status).toBe(500);
      expect(JSON.parse(body)).toMatchObject({ code: 'ERR_HEADGATE_OPTION' });
    });
  });

  it.each<[string, object, string, number]>([
    ['a repeated slash', { ignoreDuplicateSlashes: true }, '//reports//1', 1],
    ['a trailing slash', { ignoreTrailingSlash: true }, '/reports/1/', 1],
    ['another case', { caseSensitive: false }, '/REPORTS/1', 1],
    ['another case', {}, '/REPORTS/1', 0],
    ['an encoded letter', {}, '/rep%6Frts/1', 1],
    ['an empty parameter', {}, '/reports/', 1],
    ['a fragment', {}, '/reports/1#x', 1],
    ['dots in a complete URL', {}, 'http://a/reports/..', 1],
  ])('matches a route as the router does: %s (%o)', async (_, options, path, matches) => {
    const limit = limited({ limits: [{ name: 'reports', limit: 1, route: 'GET /reports/:id' }] });
    const app = create(name === 'Fastify 5' ? { routerOptions: options } : options);
    await app.register(limit);
    app.get('/reports/:id', async () => 'ok');
    const call = await serve(app);
    expect((await call(path).answer()).status).toBe(matches === 1 ? 200 : 404);
    expect(limit.stats().limits[0]?.admitted).toBe(matches);
  });

  it.each<[object, number]>([
    [{ useSemicolonDelimiter: true }, 1],
    [{ useSemicolonDelimiter: false }, 0],
  ])('matches a path before a semicolon as the router does (%o)', async (options, matches) => {
    const limit = limited({ limits: [{ name: 'reports', limit: 1, route: 'GET /reports' }] });
    const app = create(name === 'Fastify 5' ? { routerOptions: options } : options);
    await app.register(limit);
    app.get('/reports', async () => 'ok');
    const call = await serve(app);
    expect((await call('/reports;v=2').answer()).status).toBe(matches === 1 ? 200 : 404);
    expect(limit.stats().limits[0]?.admitted).toBe(matches);
  });

  it('matches an optional trailing slash that a prefix adds', async () => {
    const limit = limited({ limits: [{ name: 'reports', limit: 1, route: 'GET /reports{/}' }] });
    const app = create();
    await app.register(limit);
    app.register(async (scope) => void scope.get('/', async () => 'ok'), { prefix: '/reports' });
    const call = await serve(app);
    for (const path of ['/reports', '/reports/']) {
      expect(await call(path).answer()).toMatchObject({ status: 200 });
    }
    expect(limit.stats().limits[0]?.admitted).toBe(2);
  });

  it('matches a letter that equals another letter only in lower case', async () => {
    const limit = limited({ limits: [{ name: 'keys', limit: 1, route: 'GET /Keys' }] });
    const options = { caseSensitive: false };
    const app = create(name === 'Fastify 5' ? { routerOptions: options } : options);
    await app.register(limit);
    app.get('/Keys', async () => 'ok');
    const call = await serve(app);
    // The Kelvin sign.
    expect(await call('/%E2%84%AAeys').answer()).toMatchObject({ status: 200 });
    expect(limit.stats().limits[0]?.admitted).toBe(1);
  });
});

it.each(['http://a:99999/reports/1', 'http://a?/reports/1'])(
  'matches an invalid URL that Fastify 4 routes: %s',
  async (url) => {
    const [, create] = versions[1];
    const limit = concurrencyLimit({
      limits: [{ name: 'reports', limit: 1, route: 'GET /reports/:id' }],
    });
    const app = create();
    await app.register(limit);
    app.get('/reports/:id', async () => 'ok');
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    onTestFinished(() => app.close());
    const call = new Call(Number(new URL(origin).port), url, {});
    expect(await call.answer()).toMatchObject({ status: 200 });
    expect(limit.stats().limits[0]?.admitted).toBe(1);
  },
);
