import { concurrencyLimit } from '@headgate/fastify';
import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { dashboard as forFastify } from '../src/fastify.ts';
import { dashboard as forKoa } from '../src/koa.ts';
import { dashboard as forNode } from '../src/node.ts';

it.each(['admin', '/admin/', '/', '', undefined])('refuses the path %j', (path) => {
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
  app.register(forFastify({ limits: [limit] }), { prefix: '/admin/limits' });
  app.get('/', async () => 'ok');
  await limit.close();
  const headers = { host: 'localhost' };
  expect(await app.inject({ url: '/', headers })).toMatchObject({ statusCode: 503 });
  expect(await app.inject({ url: '/admin/limits/', headers })).toMatchObject({ statusCode: 200 });
});
