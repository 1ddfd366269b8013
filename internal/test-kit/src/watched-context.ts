import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

export interface WatchedContext {
  readonly context: BrowserContext;
  /** Errors, dialogs and all that its pages print. */
  readonly complaints: string[];
}

/**
 * Opens a browser context, which is closed at the end of the test. There must be no complaints then; a test that expects
 * some empties the list.
 */
export async function watchedContext(
  browser: Browser,
  options?: BrowserContextOptions,
): Promise<WatchedContext> {
  const context = await browser.newContext(options);
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  context.on('console', (message) => complaints.push(message.text()));
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  return { context, complaints };
}
