import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { concurrencyLimit } from '@headgate/hono';
import { Call, counts } from '@headgate/test-suite';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';

it('app.request() within a handler runs on the permit of its request', async () => {
  const limit = concurrencyLimit({ limit: 1 });
  const app = new Hono().use(limit).get('/inner', (c) => c.text('inner'));
  app.get('/page', async (c) => c.text(await (await app.request('/inner')).text()));
  const server = http.createServer(getRequestListener(app.fetch)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const calls = [1, 2, 3].map(() => new Call(port, '/page', {}).answer());
  for (const call of calls) expect(await call).toMatchObject({ status: 200, body: 'inner' });
  expect(limit.stats()).toMatchObject({ admitted: 3, reentered: 3 });
  await counts(limit, 0, 0);
});

it('app.request() outside a handler is limited', async () => {
  const limit = concurrencyLimit({ limit: 1, queueLimit: 0 });
  let finish = () => {};
  const app = new Hono().use(limit).get('/', (c) => {
    return new Promise<Response>((resolve) => {
      finish = () => resolve(c.text('done'));
    });
  });
  const first = app.request('/');
  expect((await app.request('/')).status).toBe(503);
  finish();
  expect(await (await first).text()).toBe('done');
});
