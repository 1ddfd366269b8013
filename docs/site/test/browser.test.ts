import { join } from 'node:path';
import { violations } from '@headgate/test-kit/violations';
import { watchedContext } from '@headgate/test-kit/watched-context';
import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../pages.ts';
import { pages } from './built-site.ts';

let browser: Browser;
let server: PreviewServer;
let url: string;

beforeAll(async () => {
  server = await preview({
    configFile: false,
    appType: 'mpa',
    logLevel: 'silent',
    root: join(root, 'out'),
    build: { outDir: 'site' },
    preview: { host: '127.0.0.1', port: 0 },
  });
  url = server.resolvedUrls?.local[0] as string;
  browser = await chromium.launch(chromiumOptions());
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens a page; at the end of the test, it must have made no complaint and no request to another host. */
async function open(path: string, device: BrowserContextOptions): Promise<Page> {
  const { context, complaints } = await watchedContext(browser, { ...device, baseURL: url });
  const page = await context.newPage();
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url))
      complaints.push(`request to ${request.url()}`);
  });
  page.on('response', (response) => {
    if (!response.ok() && response.status() !== 304)
      complaints.push(`${response.status()} for ${response.url()}`);
  });
  await page.goto(path);
  // Vue has taken over the page.
  await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
  return page;
}

const phone = { viewport: { width: 390, height: 780 } };

describe('a page fits into 390 pixels, without complaints or requests to other hosts', () => {
  it.each(pages)('%s', async (path) => {
    const page = await open(path, phone);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});

describe.each(['light', 'dark'] as const)(
  'axe-core finds nothing in the %s theme',
  (colorScheme) => {
    it.each([
      ['index.html', 1_280],
      ['guide.html', 1_280],
      ['limit-a-route.html', 390],
      ['how-it-works.html', 1_280],
      ['options.html', 1_280],
      ['errors.html', 390],
      ['api-reference/express.html', 1_280],
    ])('%s, %i pixels wide', async (path, width) => {
      const page = await open(path, { colorScheme, viewport: { width, height: 900 } });
      expect(await page.locator('html.dark').count()).toBe(colorScheme === 'dark' ? 1 : 0);
      expect(await violations(page)).toEqual([]);
    });
  },
);

describe('the search', () => {
  it('finds "per tenant", and leaves out decisions and measurements', async () => {
    const page = await open('index.html', { viewport: { width: 1_280, height: 900 } });
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.locator('.VPLocalSearchBox input').fill('per tenant');
    const results = page.locator('.VPLocalSearchBox .result');
    await results.first().waitFor();
    const targets = await results.evaluateAll((links) => links.map((a) => a.getAttribute('href')));
    expect(targets.filter((to) => /\/(decisions|lab|api-reference)\//.test(`${to}`))).toEqual([]);
    await results.first().click();
    await page.locator('main', { hasText: /tenant/i }).waitFor();
    expect(new URL(page.url()).pathname).not.toBe('/index.html');
  });

  it('says what to try if it finds nothing', async () => {
    const page = await open('guide.html', { viewport: { width: 1_280, height: 900 } });
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.locator('.VPLocalSearchBox input').fill('zebra crossing');
    const message = page.locator('.VPLocalSearchBox .no-results');
    expect(await message.textContent()).toMatch(/^\s*Try .*“Get started”.*"zebra crossing"\s*$/);
  });
});

describe('the tabs', () => {
  it('keep the chosen framework and package manager on other pages', async () => {
    const page = await open('guide.html', { viewport: { width: 1_280, height: 900 } });
    await page.getByRole('radio', { name: 'Koa' }).first().check();
    await page.getByText('npm install @headgate/koa koa').waitFor();
    await page.getByRole('radio', { name: 'pnpm' }).locator('visible=true').first().check();
    await page.getByText('pnpm add @headgate/koa koa').waitFor();
    await page.goto('limit-a-route.html');
    await page.getByText("from '@headgate/koa'").waitFor();
    await page.goto('guards.html');
    await page.getByText("from '@headgate/koa'").waitFor();
    expect(await page.getByText("from '@headgate/hono'").isVisible()).toBe(false);
  });

  it('show the first framework if the chosen one is not among them', async () => {
    const page = await open('limit-a-route.html', { viewport: { width: 1_280, height: 900 } });
    await page.getByRole('radio', { name: 'Any Node server' }).first().check();
    await page.goto('guards.html');
    await page.getByText("from '@headgate/express'").first().waitFor();
  });
});

describe('an earlier address', () => {
  it('leads to the page, and keeps the anchor', async () => {
    const page = await open('index.html', { viewport: { width: 1_280, height: 900 } });
    await page.goto('start-workers.html#one-limit-for-all-isolates');
    await page.waitForURL('**/workers.html#one-limit-for-all-isolates');
    await page.getByRole('heading', { level: 1, name: 'Cloudflare Workers' }).waitFor();
  });
});
