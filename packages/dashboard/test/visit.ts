import { watchedContext } from '@headgate/test-kit/watched-context';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type App, type AppOptions, inExpress, type Start, startApp } from './apps.ts';

interface OpenPage extends App {
  readonly page: Page;
  /** The paths that the page has requested. */
  readonly requests: string[];
  /** Errors and warnings of the page and the browser. */
  readonly complaints: string[];
  /** Resolves when an element that matches contains the text. */
  until(selector: string, text: string | RegExp): Promise<void>;
  text(selector: string): Promise<string>;
  /** The names and values in a list of figures. */
  facts(selector: string): Promise<string[]>;
}

interface Visit {
  /** Default: Express 5. */
  readonly start?: Start;
  readonly device?: BrowserContextOptions;
  /** Default: `/admin/limits`. */
  readonly at?: string;
  /** Called before the page is loaded. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/**
 * Starts an app and opens its dashboard in a browser. A test must have no complaints at its end; one that expects some
 * empties the list.
 */
export async function openPage(
  browser: Browser,
  options: AppOptions,
  { start = inExpress, device, at, prepare }: Visit = {},
): Promise<OpenPage> {
  const app = await startApp(start, options);
  const { context, complaints } = await watchedContext(browser, { ...device, baseURL: app.url });
  const page = await context.newPage();
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url().replace(app.url, '')));
  await prepare?.(page);
  await page.goto(at ?? options.path ?? '/admin/limits');
  return {
    ...app,
    page,
    requests,
    complaints,
    until: (selector, hasText) => page.locator(selector, { hasText }).first().waitFor(),
    async text(selector) {
      const text = await page.locator(selector).first().textContent();
      return inOneLine(text ?? '');
    },
    async facts(selector) {
      const texts = await page.locator(`${selector} dl > div`).allTextContents();
      return texts.map(inOneLine);
    },
  };
}

function inOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}
