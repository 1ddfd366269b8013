import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPage } from './visit.ts';

const first = 'tbody.semaphore:nth-of-type(1)';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

it('the page prompts for the token and keeps it for this tab', async () => {
  const { until, page, complaints, url } = await openPage(browser, { A: 1 }, { token: 'se.cret' });
  const field = tokenField(page);
  await field.fill('wrong');
  await page.keyboard.press('Enter');
  await until('#wrong', 'That is not its token.');
  // The browser itself logs a refused request.
  expect(complaints.splice(0)).toHaveLength(1);
  await field.fill('se.cret');
  await page.keyboard.press('Enter');
  await until(`${first} .used`, '0 of 1');
  await page.reload();
  await until(`${first} .used`, '0 of 1');
  const other = await page.context().newPage();
  await other.goto(`${url}/ui`);
  await tokenField(other).waitFor();
  await page.getByRole('button', { name: 'Forget token' }).click();
  await field.waitFor();
  await page.reload();
  await field.waitFor();
  expect(await page.locator('.semaphore').count()).toBe(0);
});

it('the page sends no request after the token is forgotten, and leaves the new one to be typed', async () => {
  const { server, requestedUrls, until, page } = await openSecret();
  await page.clock.install();
  server.configure({ A: 2 });
  // The request after the one that shows this is due by the installed clock.
  await until(`${first} .used`, '0 of 2');
  await page.getByRole('button', { name: 'Forget token' }).click();
  await tokenField(page).fill('se');
  const before = requestedUrls.length;
  await page.clock.runFor(60_000);
  expect(requestedUrls.slice(before)).toEqual([]);
  expect(await tokenField(page).inputValue()).toBe('se');
});

it('the page is no longer paused after the token is forgotten', async () => {
  const { until, page } = await openSecret();
  await page.getByRole('button', { name: 'Pause' }).click();
  await until('#status', 'Paused');
  await page.getByRole('button', { name: 'Forget token' }).click();
  await tokenField(page).fill('se.cret');
  await page.keyboard.press('Enter');
  await until('#status', 'Live');
  const pause = page.getByRole('button', { name: 'Pause' });
  expect(await pause.getAttribute('aria-pressed')).toBe('false');
  await until(`${first} .used`, '0 of 1');
});

function tokenField(page: Page) {
  return page.getByLabel('This server asks for its token.');
}

/** The page of a server with the token `se.cret`, which it has. */
async function openSecret() {
  const opened = await openPage(browser, { A: 1 }, { token: 'se.cret' });
  await tokenField(opened.page).fill('se.cret');
  await opened.page.keyboard.press('Enter');
  await opened.until(`${first} .used`, '0 of 1');
  return opened;
}
