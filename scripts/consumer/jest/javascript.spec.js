const { concurrencyLimit, RejectedError } = require('@headgate/express');
const express = require('express');
const request = require('supertest');

const entryPoints = [
  'core',
  'core/app',
  'core/http',
  'core/options',
  'store-kit',
  'store-kit/memory-store',
  'express',
  'koa',
  'hono',
  'fastify',
  'fetch',
  'node',
  'web',
  'web/http',
  'redis',
  'postgres',
  'server-client',
];

test.each(entryPoints)('require() loads @headgate/%s', (name) => {
  expect(Object.keys(require(`@headgate/${name}`))).not.toEqual([]);
});

test('the packages share one core', () => {
  expect(require('@headgate/core').RejectedError).toBe(RejectedError);
  expect(require('@headgate/koa').RejectedError).toBe(RejectedError);
  expect(require('@headgate/hono').RejectedError).toBe(RejectedError);
});

test('a request beyond the limit gets 503', async () => {
  const limit = concurrencyLimit({ limit: 1, route: 'GET /pages/:id' });
  const app = express().use(limit);
  const begun = new Promise((resolve) => app.get('/pages/:id', (_req, res) => resolve(res)));

  const admitted = request(app).get('/pages/1').then();
  const response = await begun;
  const rejected = await request(app).get('/pages/2');
  response.send('a page');

  expect(rejected.status).toBe(503);
  expect((await admitted).text).toBe('a page');
  expect(limit.holders).toBe(0);
});
