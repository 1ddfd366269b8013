import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from 'headgate/load';
import { progress } from '../runner.ts';
import { median } from '../stats.ts';
import { number, type Table } from '../table.ts';
import type { ServerPlan } from './plan.ts';
import { Service } from './service.ts';

const waiters = 1_000;

/** Measures the memory of a thousand blocked requests, and the time from a release to the next answer. */
export async function waiting({ wakes }: ServerPlan): Promise<Table> {
  progress('waiting: a thousand come');
  const service = await Service.start({ A: 1 });
  const before = service.rss;
  const holder = await service.newPeer();
  await service.ask('PUT', `/peers/${holder}/A`, '1');
  const waitingPeers = new WaitingPeers(service);
  for (let i = 0; i < waiters; i++) await waitingPeers.join();
  await waitingPeers.settled();
  const { rss } = service;
  const times = await wakeTimes(service, waitingPeers, holder, wakes);
  await service.stop();
  const megabytes = (bytes: number) => bytes / 1e6;
  return {
    title: `${waiters} blocked requests`,
    columns: ['', ''],
    rows: [
      ['RSS before, MB', number(megabytes(before))],
      ['RSS with them, MB', number(megabytes(rss))],
      ['from a release to the answer of the next, median, ms', number(median(times))],
      ['p99, ms', number(quantile(times, 0.99))],
    ],
    goals: [
      { what: `RSS with ${waiters} of them`, target: 150, measured: megabytes(rss), unit: 'MB' },
      { what: 'wake-up, median', target: 5, measured: median(times), unit: 'ms' },
    ],
  };
}

/** Releases the lock `count` times, always by its current holder; returns the times until the next answer. */
async function wakeTimes(
  service: Service,
  waitingPeers: WaitingPeers,
  firstHolder: string,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  let holder = firstHolder;
  for (let i = 0; i < count; i++) {
    progress(`waiting: ${i}/${count} releases`);
    const { peer, granted } = waitingPeers.next();
    const released = performance.now();
    const asked = service.ask('DELETE', `/peers/${holder}`);
    await granted;
    times.push(performance.now() - released);
    await asked;
    holder = peer;
    // Keeps the number of waiters constant.
    await waitingPeers.join();
    await sleep(2);
  }
  return times;
}

interface Waiter {
  readonly peer: string;
  readonly granted: Promise<void>;
}

/** The peers waiting for A, in order. */
class WaitingPeers {
  readonly #waiters: Waiter[] = [];

  constructor(private readonly service: Service) {}

  async join(): Promise<void> {
    const peer = await this.service.newPeer();
    // Enqueues the lock before the next peer's.
    await this.service.ask('PUT', `/peers/${peer}/A`, '1');
    const blocked = this.service.ask('PUT', `/peers/${peer}/A?block_for=1h`, '1');
    const granted = blocked.then((answer) => {
      if (answer !== `200 ${peer}` && !answer.startsWith('202')) throw new Error(answer);
    });
    this.#waiters.push({ peer, granted });
  }

  next(): Waiter {
    return this.#waiters.shift() as Waiter;
  }

  /** Resolves when all requests sent so far have been processed: the server handles requests in order. */
  async settled(): Promise<void> {
    await sleep(1_000);
    await this.service.ask('GET', '/health');
  }
}
