import type { Order, Priority } from '@headgate/core';
import { arrive, type Rate } from './arrivals.ts';
import { Client } from './client.ts';
import { exponential } from './distributions.ts';
import type { Panel, Point } from './plot/panel.ts';
import type { Plot } from './plot/plot.ts';
import { type Figure, figure } from './scenario.ts';
import { Server } from './server.ts';
import { Gauge, meanBetween } from './watch.ts';

/** Clients of one kind. */
export interface ClientGroup {
  readonly name: string;
  readonly priority?: Priority;
  readonly fairBy?: string;
  readonly rate: Rate;
}

/** The server that several groups of clients call. */
export interface Experiment {
  /** The server's limit, which is also its dependency's capacity. */
  readonly limit: number;
  readonly queueLimit: number;
  /** Mean duration of a request's work in milliseconds. */
  readonly time: number;
  /** The clients' timeout in milliseconds. They do not retry. */
  readonly timeout: number;
  /** When the load exceeds the capacity, in seconds. */
  readonly overload: { readonly from: number; readonly to: number };
  readonly seconds: number;
}

/** An order of the queue, and the percentage of each group's calls that is expected to be answered in time. */
export interface Expectation {
  readonly order: Order;
  readonly expected: Readonly<Record<string, readonly [number, number]>>;
}

interface Comparison {
  readonly figures: readonly Figure[];
  readonly plot: Pick<Plot, 'subtitle' | 'panels'>;
}

/** For each order, by its name: the percentage of each group's calls that are answered in time. */
export function compareOrders(
  experiment: Experiment,
  groups: readonly ClientGroup[],
  orders: Readonly<Record<string, Expectation>>,
): Comparison {
  const { limit, queueLimit, time, timeout, overload } = experiment;
  const figures: Figure[] = [];
  const panels: Panel[] = [];
  for (const [column, { order, expected }] of Object.entries(orders)) {
    const lines = answeredParts(experiment, groups, order);
    panels.push({ title: `${column}: answered in time, per cent`, lines });
    for (const [name, points] of Object.entries(lines)) {
      const measured = meanBetween(points, overload.from, overload.to);
      figures.push(figure(name, measured, expected[name] as [number, number], column));
    }
  }
  const subtitle =
    `The server can do ${(limit * 1000) / time} a second, ${limit} at once, with a queue of ${queueLimit}. ` +
    `Clients give up after ${timeout / 1000} s.`;
  return { figures, plot: { subtitle, panels } };
}

/** Percentages over time. */
function answeredParts(
  { limit, queueLimit, time, timeout, seconds }: Experiment,
  groups: readonly ClientGroup[],
  order: Order,
): Readonly<Record<string, readonly Point[]>> {
  const server = new Server(limit, { limit, queueLimit, order });
  const { simulation } = server;
  const serviceTime = exponential(time);
  const parts = groups.map(({ name, rate, ...flow }) => {
    const work = { serviceTime, ...flow };
    const client = new Client(simulation, (answer) => server.request(work, answer), { timeout });
    const part = new Gauge(simulation, 2000);
    arrive(simulation, rate, () => client.call((succeeded) => part.note(succeeded ? 100 : 0)));
    return [name, part.means] as const;
  });
  simulation.runUntil(seconds * 1000);
  return Object.fromEntries(parts);
}
