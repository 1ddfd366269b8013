import { watchedContext } from '@headgate/test-kit/watched-context';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { ServerOptions } from '../../src/index.ts';
import { type Scene, scene } from '../scene.ts';

interface OpenPage extends Scene {
  readonly page: Page;
  readonly url: string;
  /** All URLs that the page has requested, from any server. */
  readonly requestedUrls: string[];
  /** Errors and warnings of the page and the browser. */
  readonly complaints: string[];
  /** Resolves when an element that matches contains the text. */
  until(selector: string, text: string | RegExp): Promise<void>;
  text(selector: string): Promise<string>;
}

/**
 * Starts a server and opens its page in a browser. A test must have no complaints at its end; one that expects some
 * empties the list.
 */
export async function openPage(
  browser: Browser,
  semaphores: ServerOptions['semaphores'],
  options: Partial<ServerOptions> = {},
  device: BrowserContextOptions = {},
): Promise<OpenPage> {
  const place = await scene(semaphores, options);
  const url = `http://127.0.0.1:${place.port}`;
  const { context, complaints } = await watchedContext(browser, { ...device, baseURL: url });
  const page = await context.newPage();
  const requestedUrls: string[] = [];
  page.on('request', (request) => requestedUrls.push(request.url()));
  await page.goto('/ui');
  return {
    ...place,
    url,
    page,
    requestedUrls,
    complaints,
    until: (selector, hasText) => page.locator(selector, { hasText }).first().waitFor(),
    async text(selector) {
      const text = await page.locator(selector).first().textContent();
      return (text ?? '').trim().replace(/\s+/g, ' ');
    },
  };
}
