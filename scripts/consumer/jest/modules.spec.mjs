// Jest's ES modules. If Jest cannot require() them, the core is loaded twice, once as CommonJS: both work together.
import { createRequire } from 'node:module';
import * as imported from '@headgate/core';
import { concurrencyLimit, RejectedError } from '@headgate/express';
import { memoryStore } from '@headgate/store-kit/memory-store';
import express from 'express';
import request from 'supertest';

const required = createRequire(import.meta.url)('@headgate/core');

test('the imported packages share one core', () => {
  expect(RejectedError).toBe(imported.RejectedError);
});

test.each([
  ['an imported', imported],
  ['a required', required],
])('an imported middleware counts with %s limiter', async (_how, { createLimiter }) => {
  const limiter = createLimiter({ name: 'app', limit: 1, queueLimit: 0 });
  const app = express().use(concurrencyLimit({ limits: [{ limiter }] }));
  const begun = new Promise((resolve) => app.get('/', (_req, res) => resolve(res)));

  const admitted = request(app).get('/').then();
  const response = await begun;
  await expect(limiter.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
  expect((await request(app).get('/')).status).toBe(503);
  response.send('a page');

  expect((await admitted).text).toBe('a page');
  expect(limiter.inflight).toBe(0);
});

test('an imported store counts the limit of a required limiter', async () => {
  const store = memoryStore();
  const limiter = required.createLimiter({ name: 'app', limit: 1, queueLimit: 0, store });
  const permit = await limiter.acquire();

  await expect(limiter.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });

  permit.release();
  await limiter.close();
  await store.close();
});
