import { createLimiter } from '@headgate/core';
import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPage } from './visit.ts';

const first = 'tbody.item:nth-of-type(1)';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

it('the page draws a gap for the time that its computer slept', async () => {
  const { until, page } = await openPage(
    browser,
    { limits: [createLimiter({ name: 'reports', limit: 5 })] },
    { prepare: (page) => answerBeforeAndAfter(page, 60_000) },
  );
  await until(`${first} .used`, '2 of 5');
  // The chart is 300 wide for 300 seconds, and draws a sample for at most 4 of them.
  const limit = await page.locator(`${first} .limit`).getAttribute('d');
  expect(limit).toMatch(/^M240\.00 [\d.]+H244\.00M300\.00 [\d.]+H300\.00$/);
});

/** The stream ends after one sample; each poll has one that is later by `asleep` milliseconds, by the server's clock. */
async function answerBeforeAndAfter(page: Page, asleep: number): Promise<void> {
  const answer = (state: { now: number; limits: object[] }, sleep: number, inflight: number) => {
    const now = state.now + sleep;
    const limits = state.limits.map((limit) => ({ ...limit, id: 1, inflight }));
    return JSON.stringify({ ...state, now, limits, history: { 1: [[now, inflight, 0, 5, 0, 0]] } });
  };
  let state: { now: number; limits: object[] };
  await page.route(/\/events/, async (route) => {
    const url = route.request().url().replace('/events', '/state');
    state ??= await (await route.fetch({ url })).json();
    const body = `data: ${answer(state, 0, 1)}\n\n`;
    await route.fulfill({ contentType: 'text/event-stream', body });
  });
  await page.route(/\/state/, (route) =>
    route.fulfill({ contentType: 'application/json', body: answer(state, asleep, 2) }),
  );
}
