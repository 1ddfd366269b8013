import autocannon, { type Client, type Request } from 'autocannon';
import { progress } from '../runner.ts';
import { estimate, median, pairedRatios } from '../stats.ts';
import { number, type Table } from '../table.ts';
import type { ServerPlan } from './plan.ts';
import { bareRoute, Service } from './service.ts';

const connections = 32;

/** Acquires and releases locks in turn, with one peer per connection. */
export async function pairs(plan: ServerPlan): Promise<Table> {
  const bare = await Service.run(bareRoute, (port) => [`${port}`]);
  const service = await Service.start({ A: connections });
  const peers = await Promise.all(Array.from({ length: connections }, () => service.newPeer()));
  const rates: { bare: number[]; pairs: number[] } = { bare: [], pairs: [] };
  // The first round warms up.
  for (let round = 0; round <= plan.rounds; round++) {
    progress(`pairs: round ${round}/${plan.rounds}`);
    const alone = await rate(bare, plan, () => [{ method: 'GET', path: '/health' }]);
    const paired = await rate(service, plan, (index) => pairOf(peers[index] as string));
    if (round === 0) continue;
    rates.bare.push(alone);
    rates.pairs.push(paired);
  }
  await Promise.all([bare.stop(), service.stop()]);
  const { mean, low, high } = estimate(pairedRatios(rates.pairs, rates.bare));
  return {
    title: `Alternating acquires and releases, ${connections} connections`,
    columns: ['', 'requests/s'],
    rows: [
      ['a bare Hono route', number(median(rates.bare))],
      ['acquire and release', number(median(rates.pairs))],
    ],
    goals: [
      {
        what: 'acquire and release over a bare Hono route',
        target: 0.6,
        atLeast: true,
        measured: mean,
        unit: '×',
        interval: { low, high },
      },
    ],
  };
}

function pairOf(peer: string): Request[] {
  const path = `/peers/${peer}/A`;
  const headers = { 'content-type': 'application/json' };
  return [
    { method: 'PUT', path, headers, body: '1' },
    { method: 'DELETE', path },
  ];
}

async function rate(
  service: Service,
  { load }: ServerPlan,
  requestsOf: (index: number) => Request[],
): Promise<number> {
  let index = 0;
  const setupClient = (client: Client) => client.setRequests(requestsOf(index++ % connections));
  const url = `http://127.0.0.1:${service.port}`;
  const result = await autocannon({ url, connections, duration: load / 1_000, setupClient });
  if (result.non2xx > 0 || result.errors > 0) throw new Error('a request has failed');
  return result.requests.average;
}
