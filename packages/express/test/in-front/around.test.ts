import type { RequestListener } from 'node:http';
import {
  type AdmissionFields,
  admissionFields,
  admissionOf,
  concurrencyLimit,
} from '@headgate/node';
import { Latch, until, worldOfEachTest } from '@headgate/test-suite';
import cors from 'cors';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { expressFramework } from '../framework.ts';

describe('in front of a limit in front of an app', () => {
  const world = worldOfEachTest(expressFramework('Express 5', express));

  /** Serves an app whose only permit is held until `latch` opens. */
  async function serveBusy(around: (limited: RequestListener) => RequestListener) {
    const latch = new Latch();
    const limit = world.watch(concurrencyLimit({ name: 'web', limit: 1, queueLimit: 0 }));
    const app = express();
    app.get('/:path', async (req, res) => {
      if (req.path === '/holder') await latch.opened;
      res.send('ok');
    });
    const running = await world.serveThrough(() => around(limit(app)));
    const holder = running.call('/holder');
    await until(() => limit.holders === 1);
    return { running, holder, latch };
  }

  it('the cors package makes a rejection readable by the script of another origin', async () => {
    const addFields = cors({ origin: 'https://shop.example', exposedHeaders: ['Retry-After'] });
    const { running, holder, latch } = await serveBusy((limited) => {
      return (req, res) => addFields(req, res, () => limited(req, res));
    });
    const headers = { Origin: 'https://shop.example' };
    const rejected = await running.call('/a', { headers }).answer();
    expect(rejected).toMatchObject({
      status: 503,
      headers: {
        'access-control-allow-origin': 'https://shop.example',
        'access-control-expose-headers': 'Retry-After',
        'retry-after': expect.stringMatching(/^\d+$/),
        vary: 'Origin',
      },
    });
    const asks = { ...headers, 'Access-Control-Request-Method': 'PUT' };
    const preflight = await running.call('/a', { method: 'OPTIONS', headers: asks }).answer();
    expect(preflight).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': 'https://shop.example' },
    });
    latch.open();
    expect(await holder.answer()).toMatchObject({ status: 200 });
  });

  it('an access log shows rejected and admitted requests', async () => {
    const log: [string | undefined, number, AdmissionFields][] = [];
    const { running, holder, latch } = await serveBusy((limited) => (req, res) => {
      res.on('close', () => {
        log.push([req.url, res.statusCode, admissionFields(admissionOf(res))]);
      });
      limited(req, res);
    });
    await running.call('/a').answer();
    latch.open();
    await holder.answer();
    await until(() => log.length === 2);
    expect(log).toEqual([
      ['/a', 503, { outcome: 'full', waited: 0, limit: 'web' }],
      ['/holder', 200, { outcome: 'admitted', waited: 0, limit: undefined }],
    ]);
  });
});
