import { createGate, createLimiter } from '@headgate/core';
import { chromiumOptions } from '@headgate/test-servers';
import helmet from 'helmet';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameworks } from './apps.ts';
import { openPage } from './visit.ts';

const first = 'tbody.item:nth-of-type(1)';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

describe.each(frameworks)('the page in %s', (_name, start) => {
  it('shows permits, waiters and rejections, and updates them', async () => {
    const limiter = createLimiter({
      name: 'reports',
      limit: 2,
      queueLimit: 2,
      queueTimeout: 60_000,
    });
    const { until, text, page, requests } = await openPage(
      browser,
      { limits: [limiter] },
      { start },
    );
    await until(`${first} .used`, '0 of 2');
    expect(await text('#status')).toBe('Live');
    const held = await Promise.all([limiter.acquire(), limiter.acquire()]);
    const waiting = [limiter.acquire(), limiter.acquire()];
    await expect(limiter.acquire()).rejects.toMatchObject({ code: 'ERR_HEADGATE_REJECTED' });
    await until(`${first} .used`, '2 of 2');
    await until(`${first} .waiting`, '2');
    await until(`${first} .longest`, /s$/);
    expect(await text(`${first} .refusals`)).toBe('1');
    expect(await text(`${first} .groups`)).toContain('Queue full 1');
    expect(await page.title()).toBe('2 queued · Limits');
    for (const permit of held) permit.release();
    for (const permit of await Promise.all(waiting)) permit.release();
    await until(`${first} .used`, '0 of 2');
    expect(await text(`${first} .waiting`)).toBe('–');
    const title = await page.locator(`${first} title`).textContent();
    expect(title).toBe('In the last five minutes at most 2 in use, and 2 waited for; 1 rejected');
    // It has followed the stream.
    expect(requests.filter((each) => each.includes('state'))).toEqual([]);
  });
});

it('the page has the history of the last minutes as soon as it is opened', async () => {
  const limiter = createLimiter({ name: 'reports', limit: 5 });
  const { until, page } = await openPage(browser, { limits: [limiter] });
  await until(`${first} .used`, '0 of 5');
  const permit = await limiter.acquire({ weight: 3 });
  await until(`${first} .used`, '3 of 5');
  permit.release();
  await until(`${first} .used`, '0 of 5');
  await page.reload();
  await until(`${first} .used`, '0 of 5');
  expect(await page.locator(`${first} title`).textContent()).toContain('at most 3 in use');
});

it.each([
  ['Helmet before the page', [helmet()]],
  ['no other middleware', []],
])('loads with %s, with a slash at its end and without', async (_name, before) => {
  const limits = [createLimiter({ name: 'reports', limit: 1 })];
  for (const at of ['/a/b/limits', '/a/b/limits/']) {
    const { until, page, url } = await openPage(
      browser,
      { limits, before, path: '/a/b/limits' },
      { at },
    );
    await until('#status', 'Live');
    expect(page.url()).toBe(`${url}/a/b/limits/`);
    // The meter's width is set by a script, which the policy allows.
    expect(await page.locator(`${first} .meter`).isVisible()).toBe(true);
  }
});

it('the page requests only resources below its path', async () => {
  const { requests, until } = await openPage(browser, { limits: [createLimiter({ limit: 1 })] });
  await until('#status', 'Live');
  expect(requests.filter((each) => !each.startsWith('/admin/limits'))).toEqual([]);
});

it('the page shows markup in a name as text', async () => {
  const name = '<img src=x onerror=alert(1)>"\'&amp;';
  const { until, page } = await openPage(browser, { limits: [createLimiter({ name, limit: 1 })] });
  await until('.title', name);
  expect(await page.locator('img').count()).toBe(0);
});

it('the page polls if a proxy holds the stream back', async () => {
  const limiter = createLimiter({ name: 'reports', limit: 2 });
  const { until, requests, page } = await openPage(
    browser,
    { limits: [limiter] },
    // Never answered, as by a proxy that waits for the end of the stream.
    { prepare: (page) => page.route(/\/events/, () => {}) },
  );
  await until('#status', 'Live, by polling');
  const permit = await limiter.acquire();
  await until(`${first} .used`, '1 of 2');
  permit.release();
  await until(`${first} .used`, '0 of 2');
  expect(requests.filter((each) => each.includes('/events'))).toHaveLength(1);
  expect(await page.locator(`${first} title`).textContent()).toContain('at most 1 in use');
});

it('the page sends no requests while it is hidden', async () => {
  const { requests, until, page } = await openPage(browser, {
    limits: [createLimiter({ limit: 1 })],
  });
  await until('#status', 'Live');
  await page.clock.install();
  await setHidden(page, true);
  const before = requests.length;
  await page.clock.runFor(60_000);
  expect(requests.length).toBe(before);
  const next = page.waitForRequest(/events/);
  await setHidden(page, false);
  await next;
});

it('the page reports that the server is unreachable, and resumes when it is back', async () => {
  const limits = [createLimiter({ name: 'reports', limit: 1 })];
  const { server, until, complaints, url } = await openPage(browser, { limits });
  await until('#status', 'Live');
  const { port } = new URL(url);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await until('#status', 'The server cannot be reached: trying again');
  await new Promise<void>((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
  await until('#status', /^Live$/);
  // The browser itself logs a failed request.
  expect(complaints.splice(0).filter((each) => !each.includes('ERR_'))).toEqual([]);
});

it('the page removes the row of a limit that is gone, and adds a row for a new one', async () => {
  const limits = [
    createLimiter({ name: 'old', limit: 1 }),
    createLimiter({ name: 'stays', limit: 1 }),
  ];
  const { until, page } = await openPage(browser, { limits: () => limits });
  await until('.title', 'old');
  limits.splice(0, 1);
  limits.push(createLimiter({ name: 'new', limit: 1 }));
  await until('.title', 'new');
  expect(await page.locator('.title').allInnerTexts()).toEqual(['stays', 'new']);
});

it('the page finds limits by their own name and by that of their gate', async () => {
  const gate = createGate({
    name: 'api',
    limits: [
      { name: 'user', limit: 1, perKey: true },
      { name: 'total', limit: 5 },
    ],
  });
  const many = Array.from({ length: 12 }, (_, i) =>
    createLimiter({ name: `queue ${i}`, limit: 1 }),
  );
  const { until, page } = await openPage(browser, { limits: [gate, ...many] });
  await until('.title', 'queue 11');
  expect(await page.locator('tbody.item').count()).toBe(15);
  await page.getByLabel('Find a limit').fill('API');
  await expect.poll(() => page.locator('.title').allInnerTexts()).toEqual(['api', 'user', 'total']);
  await page.getByLabel('Find a limit').fill('nothing');
  await until('#note', 'No name has “nothing” in it.');
});

it('the page hides limits without requests if there are many limits, until the viewer asks for them', async () => {
  const many = Array.from({ length: 9 }, (_, i) => createLimiter({ name: `queue ${i}`, limit: 1 }));
  const [busy, paused] = many;
  (await busy?.acquire())?.release();
  const { until, page } = await openPage(browser, { limits: many });
  await until('.title', 'queue 8');
  // Nothing has happened while the page was open.
  expect(await page.locator('tbody.item').count()).toBe(9);
  const permit = await busy?.acquire();
  paused?.pause();
  const button = page.getByRole('button', { name: 'Show 7 without requests' });
  await button.waitFor();
  // The paused one comes first.
  expect(await page.locator('.title').allInnerTexts()).toEqual(['queue 1', 'queue 0']);
  await page.getByLabel('Find a limit').fill('queue 3');
  await until('.title', 'queue 3');
  await page.getByLabel('Find a limit').fill('');
  await button.click();
  await until('.title', 'queue 8');
  await page.getByRole('button', { name: 'Hide 7 without requests' }).click();
  await expect.poll(() => page.locator('tbody.item').count()).toBe(2);
  permit?.release();
});

it('the page shows separately what shadow mode would have rejected', async () => {
  const limiter = createLimiter({ name: 'reports', limit: 1 });
  limiter.shadow();
  const { until, page, text } = await openPage(browser, { limits: [limiter] });
  await until(`${first} .used`, '0 of 1');
  const permits = [await limiter.acquire(), await limiter.acquire()];
  await until(`${first} .would`, '1 would reject');
  expect(await text(`${first} .refusals`)).toBe('');
  expect(await text(`${first} .used`)).toContain('1 over');
  const title = await page.locator(`${first} title`).textContent();
  expect(title).toMatch(/; 1 would have been rejected$/);
  expect(await page.locator(`${first} .would-refuse`).getAttribute('d')).toMatch(/^M/);
  expect(await page.locator(`${first} .refused`).getAttribute('d')).toBe('');
  for (const permit of permits) permit.release();
});

it('the page shows the peak of a limit, and in shadow mode what other limits would have done', async () => {
  const limiter = createLimiter({ name: 'reports', limit: 2, queueLimit: 1 });
  limiter.shadow();
  const { until, text, page } = await openPage(browser, { limits: [limiter] });
  await until(`${first} .used`, '0 of 2');
  const permits = await Promise.all(Array.from({ length: 6 }, () => limiter.acquire()));
  for (const permit of permits) permit.release();
  await until(`${first} .peak`, 'peak 6');
  await until(`${first} .groups`, 'Would be admitted');
  const { limits = [] } = limiter.stats().suggestion ?? {};
  await expect
    .poll(() => page.locator(`${first} .suggestion tbody tr`).count())
    .toBe(limits.length);
  expect(await text(`${first} .suggestion`)).toContain('2 (now)');
  expect(await text(`${first} .measured`)).toBe('');
});

it('the page shows how many permits were in use when requests were admitted, as shares of the requests', async () => {
  const limiter = createLimiter({ name: 'reports', limit: 9 });
  const { until, facts, page } = await openPage(browser, { limits: [limiter] });
  await until(`${first} .used`, '0 of 9');
  expect(await page.locator(`${first} .shares`).count()).toBe(0);
  const permits = await Promise.all(Array.from({ length: 5 }, () => limiter.acquire()));
  await until(`${first} .shares`, 'In use when requests were admitted');
  expect(await facts(`${first} .shares`)).toEqual(['1 20 %', '2 20 %', '3 to 4 40 %', '5 20 %']);
  const bars = page.locator(`${first} .shares dl > div`);
  const widths = await bars.evaluateAll((all) =>
    all.map((each) => Number.parseFloat(getComputedStyle(each, '::before').width)),
  );
  const [width = 0] = widths;
  expect(width).toBeGreaterThan(10);
  for (const [i, times] of [1, 1, 2, 1].entries()) expect(widths[i]).toBeCloseTo(times * width, 0);
  // A new peak.
  permits.push(await limiter.acquire({ weight: 2 }));
  await until(`${first} .shares`, '5 to 7');
  for (const permit of permits) permit.release();
});

it('the page shows the lowest numbers in use as one bar if they cover less than 1 % of the requests', async () => {
  const limiter = createLimiter({ name: 'reports', limit: 1_000 });
  const permits = await Promise.all(Array.from({ length: 1_000 }, () => limiter.acquire()));
  const keyed = createLimiter({ name: 'users', limit: 2, perKey: true });
  permits.push(await keyed.acquire({ key: 'ann' }));
  const { until, facts } = await openPage(browser, { limits: [limiter, keyed] });
  await until(`${first} .shares`, 'In use when requests were admitted');
  expect(await facts(`${first} .shares`)).toEqual([
    ...['1 to 8 0.8 %', '9 to 16 0.8 %', '17 to 32 1.6 %', '33 to 64 3.2 %', '65 to 128 6.4 %'],
    ...['129 to 256 13 %', '257 to 512 26 %', '513 to 1,000 49 %'],
  ]);
  await until('.shares', 'In use of one key when requests were admitted');
  for (const permit of permits) permit.release();
});

it('the page shows the delay of a guard without limits', async () => {
  let delay = 3;
  const guard = { name: 'loop', admits: () => true, stats: () => ({ delay, shedding: 0 }) };
  const gate = createGate({ name: 'api', limits: [], guard });
  const { until, page } = await openPage(browser, { limits: [gate] });
  await until(`${first} .used`, /3\.0\sms delay/);
  delay = 80;
  await until(`${first} .scale`, /80\sms/);
  const title = await page.locator(`${first} title`).textContent();
  expect(title).toMatch(/^In the last five minutes at most 80\sms$/);
});

it('the page is usable with the keyboard alone', async () => {
  const limits = ['A', 'B', 'C', 'D'].map((name) => createLimiter({ name, limit: 1 }));
  const { until, page } = await openPage(browser, { limits });
  await until('.title', 'D');
  const toggle = page.getByRole('button', { name: 'B' });
  await page.keyboard.press('Tab'); // A
  await page.keyboard.press('Tab'); // B
  expect(await toggle.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('Enter');
  expect(await toggle.getAttribute('aria-expanded')).toBe('true');
  await until('tbody.item:nth-of-type(2) .groups', 'Admitted');
  await page.keyboard.press('Space');
  expect(await page.locator('.groups:visible').count()).toBe(0);
});

function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}
