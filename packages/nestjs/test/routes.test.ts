import { CONCURRENCY_LIMIT, ConcurrencyLimitModule, type HttpHandle } from '@headgate/nestjs';
import { counts } from '@headgate/test-suite';
import { Controller, Get } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { describe, expect, it } from 'vitest';
import { App } from './app.ts';

@Controller('reports')
class Reports {
  @Get()
  list() {
    return 'ok';
  }

  @Get(':id')
  one() {
    return 'ok';
  }
}

async function routedApp(platform: 'Express' | 'Fastify' | FastifyAdapter) {
  const limits = ['GET /reports', 'GET /reports/:id'].map((route) => ({
    name: route,
    limit: 1,
    route,
  }));
  const imports = [ConcurrencyLimitModule.forRoot({ limits })];
  const app = await App.start(platform, { imports, controllers: [Reports] });
  return { app, limit: app.nest.get<HttpHandle>(CONCURRENCY_LIMIT) };
}

describe.each(['Express', 'Fastify'] as const)('routes on %s', (platform) => {
  it.each(['/reports#x', '/reports/1#x', '/reports/..', 'http://a/reports/..'])(
    'match the path as the platform routes it: %s',
    async (path) => {
      const { app, limit } = await routedApp(platform);
      expect(await app.call(path).answer()).toMatchObject({ status: 200 });
      await counts(limit, 0);
      expect(limit.stats().admitted).toBe(1);
    },
  );
});

it('match a URL with an invalid port, which Express routes', async () => {
  const { app, limit } = await routedApp('Express');
  expect(await app.call('http://a:99999/reports').answer()).toMatchObject({ status: 200 });
  await counts(limit, 0);
  expect(limit.stats().admitted).toBe(1);
});

it.each<[string, object]>([
  ['/reports;v=2', { routerOptions: { useSemicolonDelimiter: true } }],
  ['//reports//1', { routerOptions: { ignoreDuplicateSlashes: true } }],
  ['/old', { rewriteUrl: () => '/reports' }],
])('match the path by the options of Fastify: %s', async (path, options) => {
  const { app, limit } = await routedApp(new FastifyAdapter(options));
  expect(await app.call(path).answer()).toMatchObject({ status: 200 });
  await counts(limit, 0);
  expect(limit.stats().admitted).toBe(1);
});
