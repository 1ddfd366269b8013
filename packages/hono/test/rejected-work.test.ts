import { createLimiter } from '@headgate/hono';
import { Hono } from 'hono';
import { expect, it } from 'vitest';

it("Hono's own error handler sends the response of a RejectedError", async () => {
  const limiter = createLimiter({ name: 'renders', limit: 1, queueLimit: 0 });
  limiter.tryAcquire();
  const app = new Hono().get('/', (c) => limiter.run(() => c.text('ok')));
  const response = await app.request('/');
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.text()).toMatch(/^The server is busy/);
});
