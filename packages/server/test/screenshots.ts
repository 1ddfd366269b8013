// npm run docs -- server: lets peers use semaphores for five minutes of a virtual clock, and writes the image of docs/server.md.
import { join } from 'node:path';
import { chromiumOptions } from '@headgate/test-servers';
import { VirtualClock } from '@headgate/test-suite';
import { chromium } from 'playwright-core';
import { createServer } from '../src/index.ts';
import { Client } from './client.ts';

const file = join(import.meta.dirname, '../../../docs/server/ui.png');

/** Seconds. */
const duration = 330;

const clock = new VirtualClock({ start: 0 });
const server = createServer({
  semaphores: {
    database: { max: 12, level: 2 },
    renders: { max: 4, level: 1 },
    licences: 40,
    deployment: 1,
  },
  clock,
});
const { url } = await server.listen({ port: 0 });
const client = new Client({ port: Number(new URL(url).port) });

/** Peers to delete, by the second in which to delete them. */
const ends = new Map<number, string[]>();

async function hold(name: string, second: number, length: number): Promise<void> {
  const peer = await client.newPeer('5m');
  await client.acquire(peer, name);
  const end = second + Math.max(1, Math.round(length));
  ends.set(end, [...(ends.get(end) ?? []), peer]);
}

/** Seconds of a work that takes this long on average. */
const about = (mean: number) => -mean * Math.log(1 - Math.random());
/** Higher at the end. */
const wave = (second: number) => 1 + 0.5 * Math.sin(second / 40);

for (let second = 0; second < duration; second++) {
  for (const peer of ends.get(second) ?? []) await client.said('DELETE', `/peers/${peer}`);
  if (Math.random() < 0.5 * wave(second)) await hold('database', second, about(12));
  const rush = second > 230 && second < 320 ? 0.35 : 0.12;
  if (Math.random() < rush) await hold('renders', second, about(25));
  if (Math.random() < 0.7) await hold('licences', second, about(35));
  if (second % 110 === 60) await hold('deployment', second, 20);
  clock.advance(1_000);
}
clock.advance(350);

const browser = await chromium.launch(chromiumOptions());
const device = {
  viewport: { width: 1_000, height: 680 },
  colorScheme: 'light',
  reducedMotion: 'reduce',
} as const;
const page = await (await browser.newContext(device)).newPage();
await page.goto(`${url}/ui`);
await page.locator('.title', { hasText: 'deployment' }).waitFor();
await page.getByRole('button', { name: 'renders' }).click();
await page.mouse.move(0, 0);
await page.screenshot({ path: file });
await browser.close();
client.close();
await server.close();
