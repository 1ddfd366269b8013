import { createGate, createLimiter, type LocalLimiter, type Permit } from '@headgate/core';
import { chromiumOptions } from '@headgate/test-servers';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { openPage } from './visit.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch(chromiumOptions());
});
afterAll(() => browser?.close());

const queue = { queueLimit: 1, queueTimeout: 60_000 };

function holding() {
  const permits: Promise<Permit>[] = [];
  onTestFinished(async () => {
    while (permits.length > 0) (await permits.shift())?.release();
  });
  return (limiter: Pick<LocalLimiter, 'acquire'>, times: number) => {
    for (let i = 0; i < times; i++) permits.push(limiter.acquire());
  };
}

it('the page says what is wrong, shows the worst limits first and the others in one line, and keeps the row in use in its place', async () => {
  const hold = holding();
  const fine = Array.from({ length: 8 }, (_, i) => createLimiter({ name: `fine ${i}`, limit: 10 }));
  const [near, queues, rejects] = ['near', 'queues', 'rejects'].map((name) =>
    createLimiter({ name, limit: 2, ...queue }),
  ) as [LocalLimiter, LocalLimiter, LocalLimiter];
  const gate = createGate({
    name: 'gate',
    limits: [{ name: 'user', limit: 9, perKey: true, optional: true }, { limiter: rejects }],
    ...queue,
  });
  for (const limiter of fine) hold(limiter, 1);
  const { page, until } = await openPage(browser, { limits: [...fine, near, queues, gate] });
  await until('#summary', 'No limit rejects or queues requests');
  hold(near, 2);
  await until('#summary', 'near is near its limit');
  hold(queues, 3);
  await until('#summary', 'queues queues requests');
  hold(gate, 3);
  await expect(gate.acquire()).rejects.toThrow();
  await until('#summary', 'gate rejects requests');
  const names = () => page.locator('.title').allInnerTexts();
  // The limit `user` has no requests.
  const bad = ['gate', 'rejects', 'queues', 'near'];
  expect(await names()).toEqual([...bad, ...fine.map(({ name }) => name)]);
  expect(await page.locator('#summary li').allInnerTexts()).toEqual([
    ...['gate rejects requests', 'queues queues requests', 'near is near its limit'],
  ]);
  const heightOf = async (name: string) => {
    const row = page.locator('tbody.item', { hasText: name });
    return (await row.boundingBox())?.height ?? 0;
  };
  expect(2 * (await heightOf('fine 0'))).toBeLessThan(await heightOf('queues'));
  await page.getByRole('button', { name: 'fine 3' }).click();
  fine[7]?.pause();
  await until('#summary', 'fine 7 is paused or rejecting');
  expect((await names()).at(-1)).toBe('fine 7');
  await page.locator('h1').click();
  await expect
    .poll(names)
    .toEqual([...bad.slice(0, 3), 'fine 7', 'near', ...fine.slice(0, 7).map(({ name }) => name)]);
});

it('the page shows for how long a limit is paused', async () => {
  const limiter = createLimiter({ name: 'upstream', limit: 4 });
  limiter.pauseFor(100_000);
  const { until } = await openPage(browser, { limits: [limiter] });
  await until('#summary', 'upstream is paused or rejecting');
  await until('.tag', 'paused for 1\u202fm');
  limiter.resume();
  await until('#summary', 'No limit rejects or queues requests');
});

it('the summary names three limits of each kind at most', async () => {
  const hold = holding();
  const limits = Array.from({ length: 5 }, (_, i) => createLimiter({ name: `l${i}`, limit: 1 }));
  for (const limiter of limits) hold(limiter, 1);
  const { until } = await openPage(browser, { limits });
  await until('#summary', 'l0, l1, l2 and 2 more are near their limits');
});
