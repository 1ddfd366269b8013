import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit } from '@headgate/hono';
import { counts } from '@headgate/test-suite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';

it.each([
  ['limited', {}],
  ['skipped', { skip: () => true }],
])('a handler that returns no response gets the error of Hono itself: %s', async (_, options) => {
  const limit = concurrencyLimit({ limit: 1, ...options });
  const errors: unknown[] = [];
  const app = new Hono();
  app.onError((error, c) => {
    errors.push(error);
    return c.text('broken', 500);
  });
  app.use(limit);
  // Hono's types allow it for a middleware only: a `return` was forgotten.
  app.get('/', async () => {});
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  onTestFinished(() => void server.close());
  if (!server.listening) await once(server, 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect([response.status, await response.text()]).toEqual([500, 'broken']);
  expect(errors).toMatchObject([{ message: expect.stringMatching(/^Context is not finalized/) }]);
  await counts(limit, 0, 0);
});
