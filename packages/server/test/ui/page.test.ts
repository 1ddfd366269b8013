import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createServer } from '../../src/index.ts';
import { acquire } from '../use-limits.ts';
import { openPage } from './visit.ts';

const highest = '18446744073709551615';
const first = 'tbody.semaphore:nth-of-type(1)';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

it('the page shows the count in use, the holders, and the waiting peers with their waiting times, and updates them', async () => {
  const { client, clock, until, text, page } = await openPage(browser, { A: 3 });
  await until(`${first} .used`, '0 of 3');
  expect(await text(`${first} .waiting`)).toBe('–');
  await client.said(
    'POST',
    '/restore',
    `{"expires_in":"5m","peer_id":${highest},"acquired":{"A":2}}`,
  );
  const waiter = await client.newPeer('2h');
  await client.acquire(waiter, 'A', 2);
  clock.advance(65_000);
  await until(`${first} .longest`, /^1\smin 5\ss$/);
  expect(await text(`${first} .used`)).toBe('2 of 3');
  expect(await text(`${first} .waiting`)).toBe('1 count 2');
  expect(await page.title()).toBe('1 waiting · Semaphores');
  const [holding, waiting] = await page.locator('.peer-list tbody').allInnerTexts();
  expect(holding?.replace(/\s+/g, ' ')).toBe(`${highest} 2 1 min 5 s 3 min 55 s`);
  expect(waiting?.replace(/\s+/g, ' ')).toBe(`${waiter} 2 1 min 5 s 1 h 58 min`);
  await client.said('DELETE', `/peers/${highest}`);
  await until(`${first} .longest`, '–');
  expect(await text(`${first} .peer-list:nth-of-type(1) .peer >> nth=1`)).toBe(waiter);
  expect(await text(`${first} .peer-list:nth-of-type(2) .more`)).toBe('None');
});

it('the page draws the history of used and pending counts, and describes it in text', async () => {
  const { client, page } = await openPage(browser, { A: 3 });
  const title = page.locator(`${first} title`);
  await expect
    .poll(() => title.textContent(), { timeout: 10_000 })
    .toContain('at most 0 in use, and 0 waited for');
  for (let i = 0; i < 5; i++) await client.acquire(await client.newPeer(), 'A');
  await expect
    .poll(() => title.textContent(), { timeout: 10_000 })
    .toContain('at most 3 in use, and 2 waited for');
  const shape = await page.locator(`${first} .demand`).getAttribute('d');
  // The curve starts at the bottom and ends at the top.
  expect(shape).toMatch(/^M[\d.]+ 35\.0V35\.0H/);
  expect(shape).toMatch(/V2\.0H300\.00V35\.0Z$/);
});

it('the page shows markup in a name as text, and peer ids beyond 2⁵³ exactly', async () => {
  const name = '<img src=x onerror=alert(1)>"\'&amp;';
  const { client, until, page } = await openPage(browser, { [name]: 1 });
  await client.acquire(await client.newPeer(), encodeURIComponent(name));
  await until(`${first} .used`, '1 of 1');
  expect(await page.locator('.title').textContent()).toBe(name);
  expect(await page.locator('img').count()).toBe(0);
});

it('the page shows the limits that processes count, and their waiters', async () => {
  const { client, clock, until, text, page } = await openPage(browser, {});
  await until('#note', 'No semaphores are configured.');
  const markup = '<b>user</b>';
  await acquire(client, [
    { name: 'pdf', limit: 1 },
    { name: 'pdf', limit: 1 },
    { name: markup, key: 'secret', limit: 2 },
    { name: markup, key: 'other', limit: 2 },
  ]);
  clock.advance(4_000);
  await until('#limits .longest', '4.0');
  const rows = await page.locator('#limits tbody').allInnerTexts();
  expect(rows.map((row) => row.replace(/\s+/g, ' ').trim())).toEqual([
    `${markup} 2 2 per key, 2 keys – –`,
    'pdf 1 of 1 1 4.0 s',
  ]);
  expect(await page.title()).toBe('1 waiting · Semaphores');
  expect([await text('#note'), await page.locator('#example').isVisible()]).toEqual(['', false]);
  clock.advance(20_000);
  await until('#note', 'No semaphores are configured.');
  expect(await page.locator('#limits').isVisible()).toBe(false);
});

it('the page sends requests only to its own server, and none while paused', async () => {
  const { server, requestedUrls, url, until, page } = await openPage(browser, { A: 1 });
  await until(`${first} .used`, '0 of 1');
  expect(requestedUrls.filter((each) => !each.startsWith(`${url}/ui`))).toEqual([]);
  await page.clock.install();
  server.configure({ A: 2 });
  // The request after the one that shows this is due by the installed clock.
  await until(`${first} .used`, '0 of 2');
  await page.getByRole('button', { name: 'Pause' }).click();
  await until('#status', 'Paused');
  const before = requestedUrls.length;
  await page.clock.runFor(60_000);
  expect(requestedUrls.length).toBe(before);
  await page.getByRole('button', { name: 'Pause' }).click();
  await until('#status', 'Live');
  expect(requestedUrls.length).toBeGreaterThan(before);
});

it('the page sends no requests while the page is hidden', async () => {
  const { requestedUrls, until, page } = await openPage(browser, { A: 1 });
  await until(`${first} .used`, '0 of 1');
  await page.clock.install();
  const show = (hidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
  await show(true);
  await page.clock.runFor(5_000);
  const before = requestedUrls.length;
  await page.clock.runFor(60_000);
  expect(requestedUrls.length).toBe(before);
  const next = page.waitForRequest(/ui\/state/);
  await show(false);
  await next;
});

it('the page reports how many peers it does not list', async () => {
  const { client, until, text, page } = await openPage(browser, { A: 20 });
  for (let i = 0; i < 23; i++) await client.acquire(await client.newPeer(), 'A');
  await until(`${first} .used`, '20 of 20');
  await until(`${first} .waiting`, '3');
  expect(await page.locator(`${first} .peer-list:nth-of-type(1) tbody tr`).count()).toBe(8);
  expect(await text(`${first} .peer-list:nth-of-type(1) .more`)).toBe('and 12 more');
  expect(await text(`${first} .peer-list:nth-of-type(2) .more`)).toBe('');
});

it('the page filters semaphores by name, and keeps the history of those filtered out', async () => {
  const many = Array.from({ length: 120 }, (_, i) => [`queue ${i}`, i] as const);
  const { until, text, page } = await openPage(browser, Object.fromEntries(many));
  await until('#note', 'and 20 more');
  expect(await page.locator('.semaphore').count()).toBe(100);
  const steps = async () => {
    const shape = await page.locator(`${first} .limit`).getAttribute('d');
    return shape?.match(/H/g)?.length ?? 0;
  };
  // A row that is new has a shorter history.
  await expect.poll(steps, { timeout: 10_000 }).toBeGreaterThan(2);
  await page.getByLabel('Find a semaphore or limit').fill('queue 119');
  await until('.title', 'queue 119');
  await expect.poll(() => page.locator('.semaphore').count()).toBe(1);
  await page.getByLabel('Find a semaphore or limit').fill('nothing');
  await until('#note', 'No name has “nothing” in it.');
  await page.getByLabel('Find a semaphore or limit').fill('');
  await until('#note', 'and 20 more');
  expect(await text(`${first} .title`)).toBe('queue 0');
  expect(await steps()).toBeGreaterThan(2);
});

it('the page reports that no semaphores are configured, and how to configure them', async () => {
  const { until, text } = await openPage(browser, {});
  await until('#note', 'No semaphores are configured.');
  expect(await text('#example')).toMatch(/^\[semaphores\]/);
});

it('the page reports that the server is unreachable, and resumes when it is back', async () => {
  const { server, until, complaints, port } = await openPage(browser, { A: 1 });
  await until('#status', 'Live');
  await server.close();
  await until('#status', 'The server cannot be reached: trying again');
  const successor = createServer({ semaphores: { A: 1 } });
  onTestFinished(() => successor.close());
  await successor.listen({ port });
  await until('#status', 'Live');
  // The browser itself logs a failed request.
  expect(complaints.splice(0).filter((each) => !each.includes('ERR_'))).toEqual([]);
});

it('the page is usable with the keyboard alone', async () => {
  const { until, page } = await openPage(browser, { A: 1, B: 1, C: 1, D: 1 });
  await until(`${first} .used`, '0 of 1');
  const toggle = page.getByRole('button', { name: 'B' });
  await page.keyboard.press('Tab'); // Pause
  await page.keyboard.press('Tab'); // A
  await page.keyboard.press('Tab'); // B
  expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await toggle.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('Enter');
  expect(await toggle.getAttribute('aria-expanded')).toBe('true');
  await until('tbody.semaphore:nth-of-type(2) .peer-list', 'Holding · 0');
  await page.keyboard.press('Space');
  expect(await page.locator('.peer-list:visible').count()).toBe(0);
});

it.each([320, 1_200])('the page is a table for screen readers, %i pixels wide', async (width) => {
  const device = { viewport: { width, height: 640 } };
  const name = 'a-name-without-a-space-that-is-longer-than-any-line-has-room-for';
  const { client, page, until } = await openPage(browser, { [name]: 40 }, {}, device);
  for (let i = 0; i < 50; i++) await client.acquire(await client.newPeer('300d'), name);
  await until(`${first} .used`, '40 of 40');
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const named = (role: string) =>
    nodes.filter((node) => node.role?.value === role).map((node) => node.name?.value);
  expect(named('table')).toEqual(['Semaphores', 'Holding', 'Waiting, in order']);
  expect(named('columnheader').slice(0, 5)).toEqual([
    'Name',
    'In use',
    '5 minutes ago now',
    'Waiting',
    'Longest wait',
  ]);
  expect(named('rowheader')).toEqual([name]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
});

it('the page formats durations in their two largest units', async () => {
  const { page } = await openPage(browser, {});
  const spans = [0, 999, 60_000, 3_599_999, 3_659_000, 90_000_000, 1e22];
  const written = await page.evaluate<string[]>(
    `import('/ui/words.js').then(({ duration }) => [${spans}].map(duration))`,
  );
  expect(written.map((text) => text.replaceAll('\u202f', ' '))).toEqual([
    '0 s',
    '0 s',
    '1 min',
    '59 min 59 s',
    '1 h',
    '1 d 1 h',
    'never',
  ]);
});
