import { createLimiter } from '@headgate/core';
import { chromiumOptions } from '@headgate/test-servers';
import express from 'express';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { dashboard } from '../src/express.ts';
import { EventClient } from './apps.ts';
import { openPage } from './visit.ts';

const first = 'tbody.item:nth-of-type(1)';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

/** The page of another process at the same path, once `connect` is called, and at `/other`. */
function otherProcess(limits: Parameters<typeof dashboard>[0]['limits']) {
  const page = dashboard({ limits, authorize: () => 'view' });
  onTestFinished(() => page.close());
  const router = express();
  let isConnected = false;
  router.use('/other', page);
  router.use('/admin/limits', (req, res, next) => (isConnected ? page(req, res, next) : next()));
  return {
    router,
    connect: () => {
      isConnected = true;
    },
  };
}

it('the page shows the history of the process to which a load balancer connects it', async () => {
  const limiter = createLimiter({ name: 'reports', limit: 5 });
  const other = otherProcess([limiter]);
  const { until, page, url, handle, requests } = await openPage(browser, {
    limits: [limiter],
    before: [other.router],
  });
  await until(`${first} .used`, '0 of 5');
  const events = await EventClient.open(`${url}/other/events`);
  const { instance } = await events.next();
  const permit = await limiter.acquire({ weight: 3 });
  for (let used = 0; used < 3; ) used = (await events.next()).limits[0].inflight;
  permit.release();
  for (let used = 3; used > 0; ) used = (await events.next()).limits[0].inflight;
  await until(`${first} .used`, '0 of 5');
  other.connect();
  handle.close();
  await until('#status', 'Live, by polling');
  expect(await page.locator(`${first} title`).textContent()).toContain('at most 3 in use');
  await until('#status', /^Live$/);
  expect(await page.locator(`${first} title`).textContent()).toContain('at most 3 in use');
  // It asks the same process only for what it does not have.
  expect(requests.at(-1)).toMatch(/\/events\?after=[1-9]/);
  expect(requests.at(-1)).toContain(`&instance=${instance}`);
  await events.close();
});
