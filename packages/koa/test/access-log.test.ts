import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Latch } from '@headgate/test-suite';
import Koa from 'koa';
import { expect, it, onTestFinished } from 'vitest';
import { type AdmissionFields, admissionFields, concurrencyLimit } from '../src/index.ts';

it('an access log shows the admission of admitted and rejected requests', async () => {
  const log: [string, AdmissionFields][] = [];
  const limit = concurrencyLimit({ name: 'web', limit: 1, queueLimit: 0 });
  const latch = new Latch();
  const app = new Koa();
  app.use(async (ctx, next) => {
    await next();
    log.push([ctx.path, admissionFields(ctx.state.admission)]);
  });
  app.use(limit);
  app.use(async (ctx) => {
    await latch.opened;
    ctx.body = 'done';
  });
  const server = createServer(app.callback()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
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
