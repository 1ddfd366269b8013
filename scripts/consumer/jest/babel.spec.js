import { createLimiter, RejectedError } from '@headgate/core';
import { concurrencyLimit, RejectedError as RejectedByExpress } from '@headgate/express';
import express from 'express';
import request from 'supertest';

test('a request beyond the limit gets 503', async () => {
  const app = express().use(concurrencyLimit({ limit: 1 }));
  app.get('/', async (_req, res) => {
    res.send(`the other one: ${(await request(app).get('/')).status}`);
  });

  expect((await request(app).get('/')).text).toBe('the other one: 503');
});

test('a rejection is a RejectedError of every package', async () => {
  const limiter = createLimiter({ limit: 1, queueLimit: 0 });
  await limiter.acquire();
  const rejection = limiter.acquire();

  await expect(rejection).rejects.toBeInstanceOf(RejectedError);
  expect(RejectedByExpress).toBe(RejectedError);
});
