// Jest's ES modules. Where Jest cannot require() them, the core is there twice, once as CommonJS: both still work together.
import { createRequire } from 'node:module';
import * as imported from '@headgate/core';
import { concurrencyLimit, RejectedError } from '@headgate/express';
import express from 'express';
import request from 'supertest';

const required = createRequire(import.meta.url)('@headgate/core');

test('the imported packages share one core', () => {
  expect(RejectedError).toBe(imported.RejectedError);
});

test.each([
  ['an imported', imported],
  ['a required', required],
])('the middleware counts with %s limiter', async (_how, { createLimiter }) => {
  const limiter = createLimiter({ name: 'app', limit: 1 });
  const app = express().use(concurrencyLimit({ limits: [{ limiter }] }));
  app.get('/', async (_req, res) => {
    const rejection = await limiter.acquire().catch((error) => error);
    const { status } = await request(app).get('/');
    res.json({ code: rejection.code, status });
  });

  const { body } = await request(app).get('/');

  expect(body).toEqual({ code: 'ERR_HEADGATE_REJECTED', status: 503 });
  expect(limiter.inflight).toBe(0);
});
