import { aimd } from '@headgate/core';
import { VirtualClock } from '@headgate/test-suite';
import { expect, it } from 'vitest';
import { type LimitedFetch, limitFetch } from '../src/index.ts';
import { runAll } from './outage-scene.ts';

/**
 * The simulation `all_nodes_500` of Palantir's Dialogue: ten clients send 100 requests per second for 20 s. Each takes
 * 600 ms, and fails in the first 10 s. All nodes are alike, so one origin stands for them.
 *
 * @returns The percentage of calls that succeed, and the mean duration of a call in seconds.
 */
async function allNodesFail(status: number, limit: Parameters<typeof limitFetch>[1]['limit']) {
  const clock = new VirtualClock();
  const start = clock.now();
  const send = () =>
    new Promise<Response>((resolve) => {
      const response = new Response(null, { status: clock.now() - start < 10_000 ? status : 200 });
      clock.setTimeout(() => resolve(response), 600);
    });
  // Dialogue waits for as long as it takes.
  const options = { limit, queueTimeout: Infinity, clock };
  const clients = Array.from({ length: 10 }, () => limitFetch(send, options));
  const total = { calls: 2_000, succeeded: 0, seconds: 0 };
  for (let call = 0; call < total.calls; call++) {
    const client = clients[call % 10] as LimitedFetch;
    clock.setTimeout(async () => {
      const { ok } = await client('http://server/');
      total.succeeded += ok ? 1 : 0;
      total.seconds += (clock.now() - start - 10 * call) / 1_000;
    }, 10 * call);
  }
  await runAll(clock);
  return [(100 * total.succeeded) / total.calls, total.seconds / total.calls];
}

it('with 500, which is no load, half of the calls fail as without a limit', async () => {
  const limit = aimd({ initial: 20, max: 1_000_000 });
  for (const each of [limit, 1_000_000])
    expect(await allNodesFail(500, each)).toEqual([50, expect.closeTo(0.6, 3)]);
});

it('with 503, the calls wait, and fewer fail', async () => {
  const [succeeded, seconds] = await allNodesFail(503, aimd({ initial: 20, max: 1_000_000 }));
  expect(succeeded).toBeGreaterThan(85);
  expect(seconds).toBeLessThan(4);
});
