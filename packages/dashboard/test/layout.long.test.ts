import { createGate, createLimiter, type Permit } from '@headgate/core';
import { violations } from '@headgate/test-kit/violations';
import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPage } from './visit.ts';

const first = 'tbody.item:nth-of-type(1)';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

/** A name of 80 characters. */
const long = (name: string) => `${name}-${'x'.repeat(79 - name.length)}`;

/** Limits in all states, of which the first has waiters and rejections. */
async function scene() {
  const busy = createLimiter({ name: long('busy'), limit: 2, queueLimit: 2, queueTimeout: 60_000 });
  const held: Permit[] = [];
  for (let i = 0; i < 2; i++) held.push(await busy.acquire());
  const waiting = [busy.acquire(), busy.acquire()];
  const names = ['customer-reports', 'database-connections', 'rendering-processes'];
  const gate = createGate({
    limits: names.map((name) => ({ name: long(name), limit: 3, perKey: name === names[0] })),
  });
  held.push(await gate.acquire({ keys: { [long('customer-reports')]: 'ann' } }));
  const states = ['paused', 'rejecting', 'shadow'].map((name) =>
    createLimiter({ name: long(name), limit: 1 }),
  );
  const [paused, rejecting, shadow] = states;
  paused?.pause();
  rejecting?.rejectAll();
  shadow?.shadow();
  const loop = {
    name: long('loop'),
    admits: () => true,
    stats: () => ({ delay: 12, shedding: 0.5 }),
  };
  const guard = createGate({ name: long('guard'), limits: [], guard: loop });
  const exceed = async () => {
    await busy.acquire().catch(() => {});
    for (let i = 0; i < 2; i++) if (shadow !== undefined) held.push(await shadow.acquire());
  };
  const end = async () => {
    for (const permit of held) permit.release();
    for (const permit of await Promise.all(waiting)) permit.release();
  };
  return { limits: [busy, gate, ...states, guard], exceed, end };
}

/** The texts of a row that overlap, and those that leave the window. */
function collisions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const row of document.querySelectorAll('tr.figures, .groups')) {
      const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
      const texts: { text: string; box: DOMRect }[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.textContent?.trim() || parent?.closest('.gate, title')) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects())
          if (box.width > 0) texts.push({ text: node.textContent, box });
      }
      const chart = row.querySelector('svg')?.getBoundingClientRect();
      if (chart !== undefined) texts.push({ text: 'chart', box: chart });
      for (const [i, { text, box: a }] of texts.entries()) {
        if (a.left < 0 || a.right > innerWidth) found.push(`${text} leaves the window`);
        for (const { text: other, box: b } of texts.slice(i + 1)) {
          const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
          const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
          if (width > 1 && height > 4) found.push(`${text} / ${other}`);
        }
      }
    }
    return found;
  });
}

describe.each([
  [320, 'light'],
  [390, 'dark'],
  [768, 'light'],
  [1_280, 'light'],
  [1_280, 'dark'],
] as const)('%i pixels wide, %s', (width, colorScheme) => {
  it('the page fits with names of 80 characters, without overlaps and without findings by axe-core', async () => {
    const { limits, exceed, end } = await scene();
    const device = { viewport: { width, height: 640 }, colorScheme };
    const operator = { authorize: () => 'operate' as const };
    const { until, page } = await openPage(browser, { limits, ...operator }, { device });
    await until(`${first} .waiting`, '2');
    await exceed();
    await until('.would', '1 would reject');
    await until(`${first} .refusals`, '1');
    for (const name of ['busy', 'customer-reports+', 'shadow', 'guard'].map(
      (each) => new RegExp(`^${each}`),
    )) {
      await page.getByRole('button', { name }).first().click();
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await collisions(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(paper).toBe(colorScheme === 'dark' ? 'rgb(21, 24, 27)' : 'rgb(252, 251, 249)');
    await end();
  });
});
