import { redisStore } from '@headgate/redis';
import { serverStore } from '@headgate/server-client';
import type { Store } from '@headgate/store-kit';
import { startRedis } from '@headgate/test-servers';
import { cpuTime } from '../distributed/cpu-time.ts';
import { connect } from '../redis/connect.ts';
import { progress } from '../runner.ts';
import { median, pairedRatios } from '../stats.ts';
import { type Goal, number, type Table } from '../table.ts';
import { Crowd, limit } from './crowd.ts';
import type { ServerPlan } from './plan.ts';
import { Service } from './service.ts';

const waiterCounts = [100, 1_000, 10_000];
/** No lease is renewed during a measurement, and no call times out on a busy machine. */
const times = { leaseDuration: 600_000, timeout: 60_000 };

/** A server with the stores of two processes. */
interface Place {
  readonly stores: readonly Store[];
  readonly cpu: () => number;
  readonly stop: () => Promise<void>;
}

const places: Record<string, () => Promise<Place>> = { Redis: inRedis, 'the service': inService };

/** Compares what a grant costs the service and Redis, with more and more waiters. */
export async function contended(plan: ServerPlan): Promise<Table> {
  const spent = new Map<string, number[]>();
  for (const waiters of waiterCounts) {
    // Alternately, so that other programs on the machine slow both down.
    for (let round = 1; round <= plan.contended; round++) {
      for (const [name, open] of Object.entries(places)) {
        progress(`contended: ${waiters} waiters, round ${round}/${plan.contended}: ${name}`);
        const key = keyOf(name, waiters);
        spent.set(key, [...(spent.get(key) ?? []), await costOfGrant(await open(), waiters, plan)]);
      }
    }
  }
  return report((name, waiters) => spent.get(keyOf(name, waiters)) ?? []);
}

const keyOf = (name: string, waiters: number): string => `${name}, ${waiters}`;

/** Microseconds of the server's processor time. */
async function costOfGrant(
  { stores, cpu, stop }: Place,
  waiters: number,
  { grants }: ServerPlan,
): Promise<number> {
  const crowd = new Crowd(stores);
  await crowd.join(waiters);
  // Counted rather than timed: a slow machine also needs more time until the code is compiled.
  await crowd.granted(grants);
  const before = cpu();
  await crowd.granted(grants);
  const cost = (1_000 * (cpu() - before)) / grants;
  await crowd.leave();
  await stop();
  return cost;
}

async function inRedis(): Promise<Place> {
  const server = await startRedis();
  const clients = [await connect(server.port), await connect(server.port)];
  const stop = async () => {
    for (const client of clients) client.disconnect();
    await server.stop();
  };
  const stores = clients.map((client) => redisStore({ client, ...times }));
  return { stores, cpu: () => cpuTime(server.pid), stop };
}

async function inService(): Promise<Place> {
  const service = await Service.start({ A: 1 });
  const url = `http://127.0.0.1:${service.port}`;
  const stores = [1, 2].map(() => serverStore({ url, ...times }));
  return { stores, cpu: () => service.cpu, stop: () => service.stop() };
}

function report(spent: (name: string, waiters: number) => number[]): Table {
  return {
    title: `A grant of a limit of ${limit}, in Redis and in the service`,
    columns: ['waiters', 'Redis: µs', 'the service: µs'],
    rows: waiterCounts.map((waiters) => [
      waiters.toLocaleString('en'),
      ...Object.keys(places).map((name) => number(median(spent(name, waiters)))),
    ]),
    goals: waiterCounts.map(
      (waiters): Goal => ({
        what: `${waiters.toLocaleString('en')} waiters: the service over Redis`,
        target: 3,
        measured: median(pairedRatios(spent('the service', waiters), spent('Redis', waiters))),
        unit: '×',
      }),
    ),
    notes: [
      'µs: processor time of the server for one call, which releases a permit and queues a new waiter, and one message, which grants the permit ' +
        'to a waiter of another process. Medians of the rounds, which alternate; the goals compare them in pairs.',
    ],
  };
}
