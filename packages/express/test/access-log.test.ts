import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Latch } from '@headgate/test-suite';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { type AdmissionFields, admissionFields, concurrencyLimit } from '../src/index.ts';

it('an access log shows the admission of admitted, queued, rejected and unlimited requests', async () => {
  const log: [string, AdmissionFields][] = [];
  const limit = concurrencyLimit({
    ...{ name: 'web', limit: 1, queueLimit: 1 },
    skip: (req) => req.path === '/health',
  });
  const latch = new Latch();
  const app = express();
  app.use((req, res, next) => {
    res.on('finish', () => log.push([req.path, admissionFields(res.locals.admission)]));
    next();
  });
  app.use(limit);
  app.use(async (req, res) => {
    if (req.path === '/holder') await latch.opened;
    res.end();
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const holder = get('/holder');
  await expect.poll(() => limit.holders).toBe(1);
  const waiter = get('/waiter');
  await expect.poll(() => limit.queued).toBe(1);
  expect((await get('/comer')).status).toBe(503);
  await get('/health');
  latch.open();
  await Promise.all([holder, waiter]);
  await expect.poll(() => log.length).toBe(4);
  const rejected = { outcome: 'full', waited: 0, limit: 'web' };
  expect(log.slice(0, 3)).toEqual([
    ['/comer', rejected],
    ['/health', { outcome: 'unlimited', waited: 0, limit: undefined }],
    ['/holder', { outcome: 'admitted', waited: 0, limit: undefined }],
  ]);
  expect(log[3]).toMatchObject(['/waiter', { outcome: 'admitted', limit: undefined }]);
  expect(log[3]?.[1].waited).toBeGreaterThan(0);
  expect(admissionFields(undefined).outcome).toBeUndefined();
});
