import { createLimiter, RejectedError } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { memoryStore } from '@headgate/store-kit/memory-store';
import express from 'express';
import request from 'supertest';

test('a request beyond the limit gets 503', async () => {
  const app = express().use(concurrencyLimit({ limit: 1, key: (req) => req.path }));
  const begun = new Promise<express.Response>((resolve) => {
    app.get('/', (_req, res) => resolve(res));
  });

  const admitted = request(app)
    .get('/')
    .then((response) => response.text);
  const response = await begun;
  expect((await request(app).get('/')).status).toBe(503);
  response.send('a page');
  expect(await admitted).toBe('a page');
});

test('a distributed limit rejects with a RejectedError', async () => {
  const store = memoryStore();
  const limiter = createLimiter({ name: 'pages', limit: 1, queueLimit: 0, store });
  const permit = await limiter.acquire();

  await expect(limiter.acquire()).rejects.toBeInstanceOf(RejectedError);

  permit.release();
  await limiter.close();
  await store.close();
});
