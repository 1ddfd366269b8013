import { adaptive, byPriority, createGate, createLimiter } from '@headgate/core';
import { concurrencyLimit } from '@headgate/express';
import { memoryStore } from '@headgate/store-kit/memory-store';
import { violations } from '@headgate/test-kit/violations';
import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from './visit.ts';

const first = 'tbody.item:nth-of-type(1)';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

describe('an operator', () => {
  const operator = { authorize: () => 'operate' as const };

  it('pauses and resumes a limit after confirming it, with the keyboard', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 2 });
    const { until, page, text } = await openPage(browser, { limits: [limiter], ...operator });
    const pause = page.getByRole('button', { name: 'Pause' });
    await pause.focus();
    await page.keyboard.press('Enter');
    await until('#question', 'Pause “reports”?');
    await page.keyboard.press('Escape');
    expect(limiter.state).toBe('open');
    expect(await pause.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await until(`${first} .state`, 'paused');
    expect(limiter.state).toBe('paused');
    expect(await page.getByRole('dialog').isVisible()).toBe(false);
    expect(await pause.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await pause.waitFor();
    expect([limiter.state, await text(`${first} .state`)]).toEqual(['open', '']);
  });

  it('starts shadow mode, and enforces the limit again', async () => {
    const limit = concurrencyLimit({ name: 'reports', limit: 2, mode: 'shadow' });
    const limiter = limit.limiters.reports;
    const { until, page, text } = await openPage(browser, { limits: [limit], ...operator });
    await until(`${first} .state`, 'shadow mode');
    const start = page.getByRole('button', { name: 'Shadow mode' });
    expect(await start.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Enforce' }).click();
    await until('#consequence', 'Requests may be queued or rejected again.');
    await page.getByRole('dialog').getByRole('button', { name: 'Enforce' }).click();
    await expect.poll(() => text(`${first} .state`)).toBe('');
    expect(limiter?.mode).toBe('enforce');
    await start.click();
    await until('#question', 'Start shadow mode of “reports”?');
    await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
    await until(`${first} .state`, 'shadow mode');
    expect(limiter?.mode).toBe('shadow');
  });

  it('starts shadow mode of a guard without limits, and ends it', async () => {
    const guard = { name: 'loop', admits: () => false };
    const gate = createGate({ name: 'api', limits: [], guard });
    const { until, page } = await openPage(browser, { limits: [gate], ...operator });
    const button = (name: string) => page.getByRole('button', { name });
    const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name });
    await button('Shadow mode').click();
    await until('#question', 'Start shadow mode of “api”?');
    await confirm('Start').click();
    await until(`${first} .state`, 'shadow mode');
    expect(gate.guard?.mode).toBe('shadow');
    for (const name of ['Shadow mode', 'Pause', 'Reject all', 'Set', 'Adaptive']) {
      expect(await button(name).isVisible()).toBe(false);
    }
    await button('Enforce').click();
    await confirm('Enforce').click();
    await button('Shadow mode').waitFor();
    expect(gate.guard?.mode).toBe('enforce');
  });

  it('sets a limit for a while', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 20 });
    const { until, page } = await openPage(browser, { limits: [limiter], ...operator });
    await page.getByLabel('Limit', { exact: true }).fill('5');
    await page.getByRole('button', { name: 'Set' }).click();
    await until('#consequence', /^It will be 5. Lowering it revokes no permit.$/);
    await page.getByLabel('Lasts').selectOption('15 minutes');
    await until('#consequence', /^It will be 5. .* After 15 minutes it will be 20 again.$/);
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await until(`${first} .used`, '0 of 5');
    await until(`${first} .tag`, /returns to 20 in 14\smin/);
    expect(limiter.limit).toBe(5);
    // A second temporary limit returns to the value before the first.
    await page.getByLabel('Limit', { exact: true }).fill('3');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByLabel('Lasts').selectOption('1 hour');
    await until('#consequence', 'After 1 hour it will be 20 again.');
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await until(`${first} .tag`, /returns to 20 in 59\smin/);
  });

  it('sees what “Reject all” does, and rejects all requests for a while', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 2, queueLimit: 5 });
    const held = [await limiter.acquire(), await limiter.acquire()];
    const queued = limiter.acquire({ queueTimeout: 60_000 }).catch(({ rejection }) => rejection);
    const { until, page, text } = await openPage(browser, { limits: [limiter], ...operator });
    await until(`${first} .waiting`, '1');
    await page.getByRole('button', { name: 'Reject all' }).click();
    expect(await text('#question')).toBe('Reject all requests of “reports”?');
    const consequence =
      'The queued requests (1) and all new ones will be rejected. The running ones (2 in use) finish.';
    expect(await text('#consequence')).toBe(consequence);
    await page.getByLabel('Lasts').selectOption('5 minutes');
    expect(await text('#consequence')).toBe(`${consequence} After 5 minutes it resumes.`);
    await page.getByRole('dialog').getByRole('button', { name: 'Reject all' }).click();
    await until(`${first} .state`, 'rejecting');
    await until(`${first} .tag`, /resumes in [45]\smin/);
    expect(await queued).toMatchObject({ reason: 'closed' });
    for (const permit of held) permit.release();
  });

  it('sees the bounds of a limit, and cannot leave them', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 20 });
    const bounds = { reports: { min: 5, max: 40 } };
    const { until, page } = await openPage(browser, { limits: [limiter], ...operator, bounds });
    await until('.bounds', 'from 5 to 40');
    const field = page.getByLabel('Limit from 5 to 40');
    for (const value of ['4', '41']) {
      await field.fill(value);
      await page.getByRole('button', { name: 'Set' }).click();
      expect(await field.evaluate((input) => input.matches(':invalid'))).toBe(true);
      expect(await page.getByRole('dialog').isVisible()).toBe(false);
    }
    await field.fill('40');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await until(`${first} .used`, '0 of 40');
    expect(limiter.limit).toBe(40);
  });

  it("sees the bounds of a gate's only limit, even if the gate has another name", async () => {
    const gate = createGate({ name: 'api', limits: [{ name: 'total', limit: 20 }] });
    const bounds = { total: { min: 5, max: 40 } };
    const { until, page } = await openPage(browser, { limits: [gate], ...operator, bounds });
    await until('.title', 'api');
    await until('.bounds', 'from 5 to 40');
    await page.getByLabel('Limit from 5 to 40').fill('41');
    await page.getByRole('button', { name: 'Set' }).click();
    expect(await page.getByRole('dialog').isVisible()).toBe(false);
  });

  it('sets an adaptive limit for a while, and lets it adapt again', async () => {
    const limiter = createLimiter({ name: 'api', limit: adaptive({ initial: 9 }) });
    const { until, page } = await openPage(browser, { limits: [limiter], ...operator });
    await until(`${first} .tag`, 'adaptive');
    const adapt = page.getByRole('button', { name: 'Adaptive' });
    expect(await adapt.isVisible()).toBe(false);
    await page.getByLabel('Limit', { exact: true }).fill('5');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByLabel('Lasts').selectOption('15 minutes');
    await until(
      '#consequence',
      /^It will stay at 5. Lowering .* After 15 minutes it will adapt again.$/,
    );
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await until(`${first} .tag`, /^adapts again in 14\smin .*· adaptive, held$/);
    expect([limiter.limit, limiter.isFixed]).toEqual([5, true]);
    await adapt.click();
    await until('#question', 'Adapt “api”?');
    await page.getByRole('dialog').getByRole('button', { name: 'Adapt' }).click();
    await until(`${first} .tag`, /^adaptive$/);
    expect([limiter.limit, limiter.isFixed]).toEqual([9, false]);
    expect(await adapt.isVisible()).toBe(false);
  });

  it('sees why the server refuses', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 20 });
    const { until, page, complaints } = await openPage(browser, { limits: [limiter], ...operator });
    await page.getByLabel('Limit', { exact: true }).fill('99999999999999999999');
    await page.getByRole('button', { name: 'Set' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await until('#failure', 'limit must be a whole number of at least 1');
    expect(limiter.limit).toBe(20);
    // The browser itself logs a refused request.
    expect(complaints.splice(0)).toHaveLength(1);
  });

  it('keeps a dialog that was opened while another operation was still running', async () => {
    const limiter = createLimiter({ name: 'reports', limit: 20 });
    const { until, page, text } = await openPage(browser, { limits: [limiter], ...operator });
    let answer = () => {};
    const mayAnswer = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/operate', async (route) => {
      const response = await route.fetch();
      await mayAnswer;
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Reject all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject all' }).click();
    await until(`${first} .state`, 'rejecting');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Resume' }).click();
    const answered = page.waitForResponse('**/operate');
    answer();
    await (await answered).finished();
    const resume = page.getByRole('dialog').getByRole('button', { name: 'Resume' });
    await resume.click();
    await page.getByRole('button', { name: 'Reject all' }).waitFor();
    expect([limiter.state, await text('#failure')]).toEqual(['open', '']);
  });

  it.each(['light', 'dark'] as const)(
    'has controls in which axe-core finds nothing, %s',
    async (colorScheme) => {
      const device = { viewport: { width: 320, height: 640 }, colorScheme };
      const limiter = createLimiter({ name: 'reports', limit: 20 });
      const { page } = await openPage(browser, { limits: [limiter], ...operator }, { device });
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
      expect(await violations(page)).toEqual([]);
      await page.getByRole('button', { name: 'Reject all' }).click();
      expect(await violations(page)).toEqual([]);
    },
  );
});

it('the page shows a viewer all data of a limit, and no controls', async () => {
  const clock = { admits: () => true, name: 'loop', stats: () => ({ delay: 3, shedding: 0.25 }) };
  const limit = concurrencyLimit({
    name: 'api',
    limit: 10,
    guard: clock,
    shares: { parts: { gold: 0.6 }, by: () => 'gold' },
    order: byPriority(),
    queueLimit: 1,
  });
  const search = createLimiter({ name: 'search', limit: 4, store: memoryStore() });
  const auto = createLimiter({ name: 'auto', limit: adaptive({ initial: 9 }) });
  const { until, text, page } = await openPage(browser, { limits: [limit, search, auto] });
  await until('.title', 'auto');
  expect(await page.locator('.controls:visible').count()).toBe(0);
  const api = await text(`${first} .groups`);
  expect(api).toContain('Guard loop Delay 3.0 ms Rejects 25 %');
  expect(api).toContain('gold (60 %) 0 in use, 0 queued');
  expect(api).toContain('Queued by priority None');
  expect(await text('tbody.item:nth-of-type(2) .groups')).toContain('Store State available');
  expect(await text('tbody.item:nth-of-type(3) .groups')).toContain('Adaptive limit State adapts');
  await search.close();
});
