import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What axe-core finds on a page, also in shadow roots. The browser adds axe-core to it, which the page's own policy cannot
 * forbid.
 */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe.source });
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    'axe.run()',
  );
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
  );
}
