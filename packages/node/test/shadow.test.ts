import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConcurrencyLimit, concurrencyLimit, defaultLimit } from '@headgate/node';
import { Call } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';

type Mode = 'enforce' | 'shadow';

/** Sends requests that take `work` ms to a new server. `due` returns how many of them are due after some milliseconds. */
async function serve(
  limit: ConcurrencyLimit<http.IncomingMessage>,
  count: number,
  work: number,
  due: (elapsed: number) => number,
) {
  const server = http.createServer(limit((_req, res) => void setTimeout(() => res.end(), work)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const began = performance.now();
  const answers: Promise<{ status: number }>[] = [];
  while (answers.length < count) {
    await sleep(2);
    // As many as are due: a timer that fires late must not lower the rate.
    const dueNow = Math.min(count, due(performance.now() - began));
    while (answers.length < dueNow) answers.push(new Call(port, '/', {}).answer());
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  const stats = limit.stats();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { stats, rejected: statuses.filter((status) => status === 503).length };
}

/** A limit of 10, at 250 requests per second of 100 ms. */
const serveFixed = (mode: Mode) =>
  serve(concurrencyLimit({ limit: 10, queueLimit: 20, mode }), 300, 100, (elapsed) => elapsed / 4);

it('shadow mode predicts how many requests an enforcing server rejects', async () => {
  collectWarnings('HEADGATE_SHEDDING');
  const [enforced, shadow] = [await serveFixed('enforce'), await serveFixed('shadow')];
  expect([enforced.stats.rejected.full, shadow.rejected]).toEqual([enforced.rejected, 0]);
  // At 100 per second, 10 of 100 ms; another 20 are queued.
  expect(enforced.rejected).toBeGreaterThan(70);
  expect(Math.abs(shadow.stats.wouldReject.full - enforced.rejected)).toBeLessThan(40);
  const { limits = [] } = shadow.stats.suggestion ?? {};
  const present = limits.find(({ limit }) => limit === 10);
  expect(present?.rejectedShare).toBeCloseTo(shadow.stats.wouldReject.full / 300, 1);
  expect(present?.waitP99).toBeGreaterThan(100);
  // 250 per second of 100 ms are 25 at once.
  expect(limits.at(-1)?.rejectedShare).toBeLessThan(present?.rejectedShare ?? 0);
});

it('in bursts, shadow mode of the default limit counts about as many rejections as enforcing makes', async () => {
  collectWarnings('HEADGATE_SHEDDING');
  const limit = defaultLimit({ min: 8, max: 8 });
  // 12 requests at once, every 1.5 seconds: four of them do not start while the others take a second.
  const due = (elapsed: number) => 12 * Math.ceil(elapsed / 1500);
  const [enforced, shadow] = await Promise.all(
    (['enforce', 'shadow'] as const).map((mode) =>
      serve(concurrencyLimit({ limit, mode }), 36, 1000, due),
    ),
  );
  expect(enforced?.rejected).toBeGreaterThan(0);
  expect(shadow?.rejected).toBe(0);
  const counted = shadow?.stats.wouldReject.overloaded ?? 0;
  // One more or fewer in each burst, on a busy machine.
  expect(Math.abs(counted - (enforced?.rejected ?? 0))).toBeLessThanOrEqual(3);
  expect(counted).toBeGreaterThan(0);
  expect(shadow?.stats).toMatchObject({ suggestion: undefined });
});
