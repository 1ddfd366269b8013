import { createLimiter, RejectedError } from '@headgate/core';
import { concurrencyLimit, RejectedError as RejectedByExpress } from '@headgate/express';
import express from 'express';
import request from 'supertest';

test('a request beyond the limit gets 503', async () => {
  const app = express().use(concurrencyLimit({ limit: 1 }));
  const begun = new Promise((resolve) => {
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

test('a rejection is a RejectedError of every package', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 0 });
  await limiter.acquire();
  const rejection = limiter.acquire();

  await expect(rejection).rejects.toBeInstanceOf(RejectedError);
  expect(RejectedByExpress).toBe(RejectedError);
});
