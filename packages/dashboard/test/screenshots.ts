// npm run docs -- dashboard: lets limits work through a spike for five minutes, and writes the images of docs/dashboard.md.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { adaptive, byPriority, createGate, createLimiter, type Priority } from '@headgate/core';
import { chromiumOptions } from '@headgate/test-servers';
import express from 'express';
import { chromium } from 'playwright-core';
import { dashboard } from '../src/express.ts';

const folder = join(import.meta.dirname, '../../../docs/figures');

/** Seconds. */
const duration = 320;
const photographedAt = 290;
const spike = { from: 150, to: 210 };

const api = createLimiter({
  name: 'api',
  limit: 40,
  queueLimit: 80,
  queueTimeout: 1_000,
  order: byPriority(),
});
const renders = createLimiter({
  name: 'renders',
  limit: adaptive({ initial: 12, max: 12 }),
  queueLimit: 20,
  queueTimeout: 500,
});
const reports = createGate({
  name: 'reports',
  limits: [
    { name: 'customer', limit: 2, perKey: true },
    { name: 'database', limit: 8 },
  ],
  queueLimit: 20,
  queueTimeout: 2_000,
});

const thumbnails = createLimiter({
  name: 'thumbnails',
  limit: 6,
  queueLimit: 6,
  queueTimeout: 1_000,
});
thumbnails.shadow();

const start = performance.now();

/** Calls back this many times per second, at random times; a late timer is made up for. */
async function arrivals(perSecond: (second: number) => number, call: () => Promise<unknown>) {
  let next = 0;
  while (next < duration) {
    const now = (performance.now() - start) / 1_000;
    while (next <= now) {
      call().catch(() => {});
      next += -Math.log(Math.random()) / perSecond(next);
    }
    await pause(5);
  }
}

const inSpike = (second: number) => second > spike.from && second < spike.to;
const work = (milliseconds: number) => () => pause(milliseconds * (0.5 + Math.random()));
const priority = (): Priority => (Math.random() < 0.2 ? 'high' : 'normal');

const app = express();
const authorize = () => 'operate' as const;
app.use('/admin/limits', dashboard({ limits: [api, reports, renders, thumbnails], authorize }));
const server = createServer(app);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}/admin/limits/`;

const browser = await chromium.launch(chromiumOptions());

const load = Promise.all([
  arrivals(
    (second) => (inSpike(second) ? 320 : 130),
    () => api.run(work(200), { priority: priority() }),
  ),
  arrivals(
    (second) => (inSpike(second) ? 30 : 12),
    () => reports.run(work(400), { keys: { customer: `${Math.floor(Math.random() * 20)}` } }),
  ),
  arrivals(
    () => 50,
    () => renders.run(work(120)),
  ),
  arrivals(
    (second) => (inSpike(second) ? 60 : 25),
    () => thumbnails.run(work(150)),
  ),
]);

await pause(photographedAt * 1_000);
const devices = {
  light: { viewport: { width: 1_100, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' },
  dark: { viewport: { width: 1_100, height: 900 }, colorScheme: 'dark', reducedMotion: 'reduce' },
  phone: { viewport: { width: 390, height: 780 }, colorScheme: 'light', reducedMotion: 'reduce' },
} as const;
for (const [name, device] of Object.entries(devices)) {
  const page = await (await browser.newContext(device)).newPage();
  await page.goto(url);
  await page.locator('.title', { hasText: 'renders' }).waitFor();
  await page.getByRole('button', { name: 'api' }).click();
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
  if (name !== 'light') continue;
  await page.getByRole('button', { name: 'api' }).click();
  const shadow = page.locator('tbody.item', { hasText: 'thumbnails' });
  await shadow.getByRole('button', { name: 'thumbnails' }).click();
  await shadow.screenshot({ path: join(folder, 'dashboard-shadow.png') });
}
await load;
await browser.close();
server.closeAllConnections();
server.close();
