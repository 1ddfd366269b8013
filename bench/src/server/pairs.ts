import { keepBusy, requestOf } from '../http/connection.ts';
import { progress } from '../runner.ts';
import { estimate, median, pairedRatios } from '../stats.ts';
import { number, type Table } from '../table.ts';
import type { ServerPlan } from './plan.ts';
import { bareRoute, Service } from './service.ts';

const connections = 32;

const bareName = 'a bare Hono route';
const readingName = `${bareName}, which alternately reads a body`;
const pairsName = 'acquire and release';

/** Acquires and releases locks in turn, with one peer per connection. */
export async function pairs(plan: ServerPlan): Promise<Table> {
  const bare = await Service.run(bareRoute, (port) => [`${port}`]);
  const service = await Service.start({ A: connections });
  const peers = await Promise.all(Array.from({ length: connections }, () => service.newPeer()));
  const loads: Record<string, () => Promise<number>> = {
    [bareName]: () => rate(bare, plan, () => [requestOf('GET', '/health')]),
    [readingName]: () => rate(bare, plan, () => alternately('/bare')),
    [pairsName]: () => rate(service, plan, (index) => alternately(`/peers/${peers[index]}/A`)),
  };
  const rates = new Map<string, number[]>(Object.keys(loads).map((name) => [name, []]));
  // The first round warms up.
  for (let round = 0; round <= plan.rounds; round++) {
    for (const [name, load] of Object.entries(loads)) {
      progress(`pairs: round ${round}/${plan.rounds}: ${name}`);
      const measured = await load();
      if (round > 0) rates.get(name)?.push(measured);
    }
  }
  await Promise.all([bare.stop(), service.stop()]);
  return report(rates);
}

function report(rates: ReadonlyMap<string, readonly number[]>): Table {
  const of = (name: string) => rates.get(name) ?? [];
  const { mean, low, high } = estimate(pairedRatios(of(pairsName), of(readingName)));
  return {
    title: `Alternating acquires and releases, ${connections} connections`,
    columns: ['', 'requests/s', `× ${bareName}`],
    rows: [...rates].map(([name, own]) => [
      name,
      number(median(own)),
      number(median(pairedRatios(own, of(bareName)))),
    ]),
    goals: [
      {
        what: `${pairsName} over ${readingName}`,
        target: 0.7,
        atLeast: true,
        measured: mean,
        unit: '×',
        interval: { low, high },
      },
    ],
    notes: [
      'Both servers receive the same requests: a PUT with a body of one byte, then a DELETE.',
    ],
  };
}

function alternately(path: string): string[] {
  const put = requestOf('PUT', path, 'Content-Type: application/json\r\n', '1');
  return [put, requestOf('DELETE', path)];
}

/** Requests per second. */
function rate(
  service: Service,
  { load }: ServerPlan,
  requestsOf: (index: number) => string[],
): Promise<number> {
  const requests = Array.from({ length: connections }, (_, index) => requestsOf(index));
  return keepBusy({ port: service.port, requests, duration: load }, (status) => {
    if (status >= 300) throw new Error(`a request has failed: ${status}`);
  });
}
