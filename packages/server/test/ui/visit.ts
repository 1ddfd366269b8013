import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { ServerOptions } from '../../src/index.ts';
import { type Scene, scene } from '../scene.ts';

interface Visit extends Scene {
  readonly page: Page;
  readonly url: string;
  /** What the page has asked for, of whomever. */
  readonly asked: string[];
  /** Errors and warnings of the page and the browser. */
  readonly complaints: string[];
  /** Resolves when the page shows a text somewhere. */
  until(selector: string, text: string | RegExp): Promise<void>;
  text(selector: string): Promise<string>;
}

/** A server, and its page in a browser. A test that does not look at complaints must have none. */
export async function visit(
  browser: Browser,
  semaphores: ServerOptions['semaphores'],
  options: Partial<ServerOptions> = {},
  device: BrowserContextOptions = {},
): Promise<Visit> {
  const place = await scene(semaphores, options);
  const url = `http://127.0.0.1:${place.port}`;
  const context = await browser.newContext({ ...device, baseURL: url });
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  await page.goto('/ui');
  return {
    ...place,
    url,
    page,
    asked,
    complaints,
    until: (selector, hasText) => page.locator(selector, { hasText }).first().waitFor(),
    async text(selector) {
      const text = await page.locator(selector).first().textContent();
      return (text ?? '').trim().replace(/\s+/g, ' ');
    },
  };
}
