import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConcurrencyLimit, concurrencyLimit } from '@headgate/express';
import { collectWarnings } from '@headgate/test-suite/kit';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';

const REQUESTS = 300;
const PER_SECOND = 200;

/** Exponentially distributed with this mean; the golden ratio spreads the numbers evenly. */
const spread = (mean: number, index: number) => -mean * Math.log(1 - ((index * 0.618034) % 1));

/** Serves requests of 50 ms on average behind the limit, sends those of a busy minute, and counts the rejected ones. */
async function rejectedBy(limit: ConcurrencyLimit): Promise<number> {
  const app = express();
  app.use(limit);
  app.get('/', async (req, res) => {
    await delay(Number(req.query.ms));
    res.end();
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const started = performance.now();
  const statuses: Promise<number>[] = [];
  let at = 0;
  for (let index = 0; index < REQUESTS; index++) {
    at += spread(1000 / PER_SECOND, index);
    const early = at - (performance.now() - started);
    if (early > 0) await delay(early);
    const url = `http://127.0.0.1:${port}/?ms=${spread(50, 7 * index)}`;
    statuses.push(fetch(url).then(({ status }) => status));
  }
  return (await Promise.all(statuses)).filter((status) => status === 503).length;
}

it('a limit that would reject few requests in shadow mode rejects few, and a much lower one most', async () => {
  collectWarnings('HEADGATE_SHEDDING');
  const shadow = concurrencyLimit({ limit: 10, queueTimeout: 50, mode: 'shadow' });
  expect(await rejectedBy(shadow)).toBe(0);
  const limits = shadow.stats().suggestion?.limits ?? [];
  const { limit: chosen } = limits.find(({ rejectedShare }) => rejectedShare < 0.01) ?? {
    limit: 1,
  };
  const [enforced, low = 0] = await Promise.all(
    [chosen, 2].map((limit) => rejectedBy(concurrencyLimit({ limit, queueTimeout: 50 }))),
  );
  // Requests take longer while the machine is busy, so a few more may be rejected.
  expect(enforced).toBeLessThan((low as number) / 3);
  expect(low).toBeGreaterThan(0.5 * REQUESTS);
});
