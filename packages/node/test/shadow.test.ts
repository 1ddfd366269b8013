import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { concurrencyLimit } from '@headgate/node';
import { Call } from '@headgate/test-suite';
import { collectWarnings } from '@headgate/test-suite/kit';
import { expect, it } from 'vitest';

/** Sends 300 requests of 100 ms at 250 per second to a new server. */
async function serve(mode: 'enforce' | 'shadow') {
  const limit = concurrencyLimit({ limit: 10, queueLimit: 20, mode });
  const server = http.createServer(limit((_req, res) => void setTimeout(() => res.end(), 100)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const began = performance.now();
  const answers: Promise<{ status: number }>[] = [];
  while (answers.length < 300) {
    await sleep(2);
    // As many as are due: a timer that fires late must not lower the rate.
    const due = Math.min(300, (performance.now() - began) / 4);
    while (answers.length < due) answers.push(new Call(port, '/', {}).answer());
  }
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  const stats = limit.stats();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { stats, rejected: statuses.filter((status) => status === 503).length };
}

it('shadow mode predicts how many requests an enforcing server rejects', async () => {
  collectWarnings('HEADGATE_SHEDDING');
  const [enforced, shadow] = [await serve('enforce'), await serve('shadow')];
  expect([enforced.stats.rejected.full, shadow.rejected]).toEqual([enforced.rejected, 0]);
  // At 100 per second, 10 of 100 ms; another 20 are queued.
  expect(enforced.rejected).toBeGreaterThan(70);
  expect(Math.abs(shadow.stats.wouldReject.full - enforced.rejected)).toBeLessThan(40);
  const { limits = [], lowest } = shadow.stats.suggestion ?? {};
  const present = limits.find(({ limit }) => limit === 10);
  expect(present?.rejectedShare).toBeCloseTo(shadow.stats.wouldReject.full / 300, 1);
  expect(present?.waitP99).toBeGreaterThan(100);
  // 250 per second of 100 ms are 25 at once.
  expect(lowest?.['1%']).toBeGreaterThan(10);
});
