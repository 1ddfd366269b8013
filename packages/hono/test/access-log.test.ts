import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Latch } from '@headgate/test-suite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, it, onTestFinished } from 'vitest';
import {
  type AdmissionEnv,
  type AdmissionFields,
  admissionFields,
  concurrencyLimit,
} from '../src/index.ts';

it('an access log shows the admission of admitted and rejected requests', async () => {
  const log: [string, AdmissionFields][] = [];
  const limit = concurrencyLimit({ name: 'web', limit: 1, queueLimit: 0 });
  const latch = new Latch();
  const app = new Hono<AdmissionEnv>();
  app.use(async (c, next) => {
    await next();
    log.push([c.req.path, admissionFields(c.var.admission)]);
  });
  app.use(limit);
  app.all('*', async (c) => {
    await latch.opened;
    return c.text('done');
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  onTestFinished(() => void server.close());
  if (!server.listening) await once(server, 'listening');
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const holder = get('/holder');
  await expect.poll(() => limit.holders).toBe(1);
  expect((await get('/comer')).status).toBe(503);
  latch.open();
  expect((await holder).status).toBe(200);
  expect(log).toEqual([
    ['/comer', { outcome: 'full', waited: 0, limit: 'web' }],
    ['/holder', { outcome: 'admitted', waited: 0, limit: undefined }],
  ]);
});
