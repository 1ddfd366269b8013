import { concurrencyLimit } from '@headgate/fastify';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { dashboard as forFastify } from '../src/fastify.ts';
import { dashboard as forKoa } from '../src/koa.ts';
import { dashboard as forNode } from '../src/node.ts';

const invalidPaths = ['admin', '/admin/', '/', '', undefined, '/a?b', '/a#b', '/a b', '/a/../b'];

it.each(invalidPaths)('the dashboard refuses the path %j', (path) => {
  const error = expect.objectContaining({ code: 'ERR_HEADGATE_OPTION', option: 'path' });
  for (const create of [forKoa, forNode]) {
    expect(() => create({ limits: [], path: path as string })).toThrow(error);
  }
});

it('the limit of a Fastify app does not reject the page that shows it', async () => {
  const app = Fastify();
  onTestFinished(() => app.close());
  const limit = concurrencyLimit({ limit: 1 });
  await app.register(limit);
  app.register(forFastify({ limits: [limit], authorize: () => 'view' }), {
    prefix: '/admin/limits',
  });
  app.get('/', async () => 'ok');
  await limit.close();
  expect(await app.inject('/')).toMatchObject({ statusCode: 503 });
  expect(await app.inject('/admin/limits/')).toMatchObject({ statusCode: 200 });
});

it.each(['', '/', 'admin', '/admin/', '/admin/limits/'])(
  'the dashboard is served by Fastify below the prefix %j',
  async (prefix) => {
    const app = Fastify();
    onTestFinished(() => app.close());
    app.register(forFastify({ limits: [], authorize: () => 'view' }), { prefix });
    const url = `${prefix}/`.replace(/^\/*/, '/').replace(/\/+$/, '/');
    const page = await app.inject(url);
    expect(page).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('<!doctype html>'),
    });
  },
);

it.each([undefined, {}])(
  'the dashboard refuses to be the listener of a server itself: %j',
  (listener) => {
    const page = forNode({ limits: [], path: '/admin' });
    expect(() => page(listener as never)).toThrow(
      expect.objectContaining({ code: 'ERR_HEADGATE_MIDDLEWARE' }),
    );
  },
);
