import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { History } from '../../src/history.ts';
import type { Snapshot } from '../../src/http/snapshot.ts';
import type { Client } from '../client.ts';
import { scene } from '../scene.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

async function historyOf(client: Client): Promise<Snapshot['history']> {
  const { text } = await client.ask('GET', '/ui/state?history=');
  return (JSON.parse(text) as Snapshot).history;
}

it('the history keeps the last five minutes without a timer', async () => {
  const { client, clock } = await scene({ A: 3 });
  expect(await historyOf(client)).toEqual({ A: [] });
  const [holder, waiter] = [await client.newPeer('1d'), await client.newPeer('1d')];
  const { armed } = clock;
  await client.acquire(holder, 'A', 2);
  clock.advance(2_500);
  await client.acquire(waiter, 'A', 3);
  clock.advance(9_000);
  // Each sample is drawn for four seconds.
  expect((await historyOf(client))?.A).toEqual([
    [11_500, 2, 0, 3],
    [9_000, 2, 3, 3],
    [5_000, 2, 3, 3],
    [1_000, 2, 3, 3],
  ]);
  clock.advance(400_000);
  const later = (await historyOf(client))?.A;
  expect(later).toHaveLength(75);
  expect(later?.[0]).toEqual([300_000, 2, 3, 3]);
  expect(clock.armed).toBe(armed);
  const { text } = await client.ask('GET', '/ui/state');
  expect(JSON.parse(text).history).toBeUndefined();
});

it('the history records at most every two seconds, and forgets what is older than five minutes', () => {
  const history = new History();
  const semaphore = { name: 'A', acquired: 0n, pending: 0n, max: 9n };
  for (let now = 0; now <= 600_000; now += 100) {
    history.record(now, [{ ...semaphore, acquired: BigInt(Math.floor(now / 10_000)) }]);
  }
  const samples = history.of('A', 600_000);
  expect(samples.length).toBeLessThanOrEqual(152);
  expect(samples[0]).toEqual([300_000, 30, 0, 9]);
  expect(samples.map(([, used]) => used)).toEqual(samples.map(([, used]) => used).sort());
});

it('the history records the 100 semaphores that the page shows first, and forgets those that are gone', () => {
  const history = new History();
  const all = Array.from({ length: 120 }, (_, i) => ({
    ...{ name: `${i}`, acquired: 1n, pending: 0n, max: 2n },
  }));
  history.record(0, all);
  expect(history.of('99', 1_000)).toEqual([[1_000, 1, 0, 2]]);
  expect(history.of('100', 1_000)).toEqual([]);
  history.record(2_000, all.slice(1));
  expect(history.of('0', 3_000)).toEqual([]);
  expect(history.of('100', 3_000)).toEqual([[3_000, 1, 0, 2]]);
});

it('the history is drawn as soon as the page is opened', async () => {
  const { client, clock, port } = await scene({ A: 3 });
  const peer = await client.newPeer('10m');
  await client.acquire(peer, 'A', 3);
  clock.advance(60_000);
  await client.said('DELETE', `/peers/${peer}`);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/ui`);
  const row = page.locator('tbody.semaphore').first();
  await row.locator('.used', { hasText: '0 of 3' }).waitFor();
  await expect.poll(() => row.locator('title').textContent()).toContain('at most 3 in use');
  await context.close();
});

it('the history shows a wait of less than a second in milliseconds', async () => {
  const { client, clock, port } = await scene({ A: 1 });
  for (let i = 0; i < 6; i++) await client.acquire(await client.newPeer('10m'), 'A');
  clock.advance(350);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${port}/ui`);
  const row = page.locator('tbody.semaphore').first();
  await row.locator('.longest', { hasText: /^350\sms$/ }).waitFor();
  await context.close();
});
