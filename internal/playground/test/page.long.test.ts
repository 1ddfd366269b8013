import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { violations } from '@headgate/test-kit/violations';
import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from './built-page.ts';
import { tasksDuring } from './main-thread.ts';
import { cells, follow, navigate, settled, slide, visit } from './visit.ts';

let browser: Browser;
let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  files = await buildPage();
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

const answered = async (page: Page) =>
  (await cells(page, 'Calls answered in time, per second')).map(Number);

describe('the playground in a browser', () => {
  it('shows a bare server that collapses and a default limit that answers when the load grows', async () => {
    const { page } = await visit(browser, files, '#playground?load=1&spike=0');
    const [bareBefore] = await answered(page);
    await slide(page, 'Load', 5);
    const [bare, , adaptive] = await answered(page);
    expect(bareBefore).toBeGreaterThan(70);
    expect(bare).toBeLessThan(20);
    expect(adaptive).toBeGreaterThan(90);
    expect(await page.locator('.summary').textContent()).toContain(`bare ${bare}, `);
  });

  it('has a text alternative for each plot', async () => {
    const { page } = await visit(browser, files, '#playground?load=5&spike=0');
    const plots = page.getByRole('img');
    expect(await plots.count()).toBe(3);
    const name = await plots.first().getAttribute('aria-label');
    expect(name).toMatch(/^bare server: .* a capacity of 100: \d+ from second 0 to 5, .* to 20\.$/);
  });

  it('links to a page of the documentation', async () => {
    const { page } = await visit(browser, files);
    await page.getByText('What is simulated, and').click();
    const link = await page.getByRole('link', { name: 'Overload' }).getAttribute('href');
    const docs = resolve(import.meta.dirname, '../../../docs');
    expect(existsSync(join(docs, link?.replace(/html$/, 'md') ?? ''))).toBe(true);
  });

  it('is operated with the keyboard', async () => {
    const { page } = await visit(browser, files);
    const load = page.getByLabel('Load', { exact: true });
    await load.focus();
    await page.keyboard.press('ArrowRight');
    await settled(page);
    expect(await load.getAttribute('aria-valuetext')).toBe('0.9 × capacity');
    expect(page.url()).toContain('#playground?load=0.9');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.id)).toBe(
      'spike',
    );
  });

  it('copies the code of the settings', async () => {
    const { page } = await visit(browser, files, '#playground?fixed=7');
    await page.getByLabel('Show the code of').selectOption('fixed');
    await page.getByRole('button', { name: 'Copy the code' }).click();
    await page.getByText('Copied.').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain('limit: 7,');
    expect(copied).toBe(await page.locator('code').textContent());
  });

  it('shows the code of the fixed limit when the user sets that', async () => {
    const { page } = await visit(browser, files);
    await page.getByLabel('Fixed limit', { exact: true }).fill('7');
    expect(await page.getByLabel('Show the code of').inputValue()).toBe('fixed');
    expect(await page.locator('pre').textContent()).toContain('limit: 7');
  });

  it('leaves nothing behind when it is removed', async () => {
    const { page } = await visit(browser, files);
    await page.getByLabel('Load', { exact: true }).fill('5');
    const left = await page.evaluate(() => {
      (window as unknown as { unmount(): void }).unmount();
      return document.getElementById('playground')?.childElementCount;
    });
    await page.goBack();
    expect(left).toBe(0);
  });
});

describe('the URL', () => {
  it('becomes that of a preset when its link is followed, and the page shows its settings and lesson', async () => {
    const { page } = await visit(browser, files, '#playground?load=5&order=fair');
    await follow(page, 'Wrong number');
    expect(new URL(page.url()).hash).toBe('#playground?fixed=100');
    expect(await page.getByLabel('Fixed limit', { exact: true }).inputValue()).toBe('100');
    expect(await page.locator('.lesson').textContent()).toMatch(
      /^A fixed limit of 100 is too high/,
    );
    await follow(page, 'Spike');
    expect(await page.getByLabel('Queue order of both limits').inputValue()).toBe('fifo');
  });

  it('restores the settings in another tab', async () => {
    const { page, open } = await visit(browser, files);
    await slide(page, 'Load', 5);
    await page.getByText('More settings').click();
    await page.getByLabel('Queue order of both limits').selectOption('fair');
    await settled(page);
    const { hash } = new URL(page.url());
    expect(hash).toBe('#playground?load=5&order=fair');
    const other = await open(hash);
    expect(await other.getByLabel('Load', { exact: true }).inputValue()).toBe('5');
    expect(await other.getByLabel('Queue order of both limits').inputValue()).toBe('fair');
    expect(await answered(other)).toEqual(await answered(page));
  });

  it('returns to that of the earlier settings with the back button', async () => {
    const { page } = await visit(browser, files);
    const before = await answered(page);
    await page.getByText('More settings').click();
    await slide(page, 'Load', 5);
    await slide(page, 'Retries', 0);
    await navigate(page, 'history.back()');
    expect(await page.getByLabel('Retries').inputValue()).toBe('2');
    expect(await page.getByLabel('Load', { exact: true }).inputValue()).toBe('5');
    await navigate(page, 'history.back()');
    expect(await page.getByLabel('Load', { exact: true }).inputValue()).toBe('0.8');
    expect(new URL(page.url()).hash).toBe('');
    expect(await answered(page)).toEqual(before);
  });

  it('gets one entry in the history while a slider moves, and the results are those of its last value', async () => {
    const { page, open } = await visit(browser, files);
    const before = await page.evaluate(() => history.length);
    for (const load of [1, 2, 3, 4, 5]) {
      await page.getByLabel('Load', { exact: true }).fill(`${load}`);
    }
    await settled(page);
    const other = await open('#playground?load=5');
    expect(await answered(page)).toEqual(await answered(other));
    expect(new URL(page.url()).hash).toBe('#playground?load=5');
    expect(await page.evaluate(() => history.length)).toBe(before + 1);
  });

  it('keeps the settings when the user follows an anchor of the page', async () => {
    const { page } = await visit(browser, files, '#playground?load=5');
    await navigate(page, "location.hash = 'features'");
    expect(await page.getByLabel('Load', { exact: true }).inputValue()).toBe('5');
  });
});

describe('the CPU time of the page', () => {
  it.each([
    ['an overload', '#playground?load=5&spike=0', 1000],
    // The highest capacity, load and number of retries.
    ['the largest amount of work', '#playground?capacity=20&load=10&retries=3', 5000],
  ])('is short, and never blocks the page for 50 ms, for %s', async (_name, hash, total) => {
    const { page } = await visit(browser, files);
    const tasks = await tasksDuring(browser, page, () =>
      navigate(page, `location.hash = '${hash}'`),
    );
    expect(tasks.length).toBeGreaterThan(10);
    expect(Math.max(...tasks)).toBeLessThan(50);
    const sum = tasks.reduce((one, other) => one + other);
    // Long enough to show that the simulation was measured.
    expect(sum).toBeGreaterThan(50);
    expect(sum).toBeLessThan(total);
  });
});

it.each([390, 1280])(
  'shows the answers of each server on the first screen at %i px',
  async (width) => {
    const { page } = await visit(browser, files, '', { viewport: { width, height: 800 } });
    const answers = page.locator('figure strong');
    expect(await answers.allTextContents()).toEqual(
      await cells(page, 'Calls answered in time, per'),
    );
    const bottoms = await answers.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect().bottom),
    );
    expect(Math.max(...bottoms)).toBeLessThan(800);
  },
);

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  it.each([390, 1280])('has no violations of accessibility at %i px, and fits', async (width) => {
    // With all controls.
    const { page } = await visit(browser, files, '#playground?order=fair', {
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width, height: 844 },
    });
    await page.getByText('What is simulated, and').click();
    expect(await violations(page)).toEqual([]);
    const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement);
    expect(scrollWidth).toBe(clientWidth);
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
  });
});
