import { watchedContext } from '@headgate/test-kit/watched-context';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Browsers count this host as secure, so that pages may use the clipboard. */
const origin = 'http://localhost';

export interface Visit {
  readonly page: Page;
  /** Opens the playground with this fragment, in a new tab, and waits for its results. */
  open(fragment: string): Promise<Page>;
}

/** Serves the built files to a browser without a network. A test must cause no errors and no other requests. */
export async function visit(
  browser: Browser,
  files: ReadonlyMap<string, string>,
  fragment = '',
  device: BrowserContextOptions = {},
): Promise<Visit> {
  const { context, complaints } = await watchedContext(browser, device);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  await context.route('**', (route) => {
    const path = route.request().url().replace(`${origin}/`, '').replace(/#.*/, '');
    const body = files.get(path === '' ? 'index.html' : path);
    if (body !== undefined) {
      const contentType = path.endsWith('.js') ? 'text/javascript' : 'text/html';
      return route.fulfill({ body, contentType });
    }
    complaints.push(route.request().url());
    return route.abort();
  });
  const open = async (wanted: string) => {
    const page = await context.newPage();
    await page.goto(`${origin}/${wanted}`);
    await settled(page);
    return page;
  };
  return { page: await open(fragment), open };
}

/** Waits until the results are those of the controls. */
export async function settled(page: Page): Promise<void> {
  await page.locator('table[aria-busy=false]').waitFor();
}

/** Runs a script that navigates within the page, and waits for the results. */
export async function navigate(page: Page, script: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    addEventListener('popstate', resolve, { once: true });
    ${script};
  }).then(() => {})`);
  await settled(page);
}

/** The cells of a row: the bare server, the fixed limit, the default limit. */
export async function cells(page: Page, row: string): Promise<string[]> {
  return page.locator('tbody tr', { hasText: row }).locator('td').allTextContents();
}

/** Moves a slider, as a user does. */
export async function slide(page: Page, label: string, value: number): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(`${value}`);
  await settled(page);
}

/** Follows the link of a preset, and waits for its results. */
export async function follow(page: Page, preset: string): Promise<void> {
  await page.getByRole('link', { name: preset }).click();
  await page.locator('[aria-current]', { hasText: preset }).waitFor();
  await settled(page);
}
