import type { Order, Priority } from '@headgate/core';
import { arrive, type Rate } from './arrivals.ts';
import { Client } from './client.ts';
import type { Panel, Plot, Point } from './plot/plot.ts';
import { exponential } from './random-times.ts';
import { type Figure, figure } from './scenario.ts';
import { Server } from './server.ts';
import { Gauge, meanBetween } from './watch.ts';

/** Clients of one sort. */
export interface Crowd {
  readonly name: string;
  readonly priority?: Priority;
  readonly party?: string;
  readonly rate: Rate;
}

/** What several crowds meet. */
export interface Scene {
  /** How many the server lets in at once, which is as many as it can do as fast as one. */
  readonly limit: number;
  readonly queueLimit: number;
  /** Mean milliseconds of a request's work. */
  readonly time: number;
  /** Milliseconds after which clients give up. They do not try again. */
  readonly timeout: number;
  /** When more comes than the server can do, in seconds. */
  readonly overload: { readonly from: number; readonly to: number };
  readonly seconds: number;
}

/** An order of the line, and what part of each crowd's calls it should answer in time, in per cent. */
export interface Expectation {
  readonly order: Order;
  readonly expected: Readonly<Record<string, readonly [number, number]>>;
}

interface Comparison {
  readonly figures: readonly Figure[];
  readonly plot: Pick<Plot, 'subtitle' | 'panels'>;
}

/** What part of each crowd's calls is answered in time under each of the orders, which go by their names. */
export function compareOrders(
  scene: Scene,
  crowds: readonly Crowd[],
  orders: Readonly<Record<string, Expectation>>,
): Comparison {
  const { limit, queueLimit, time, timeout, overload } = scene;
  const figures: Figure[] = [];
  const panels: Panel[] = [];
  for (const [column, { order, expected }] of Object.entries(orders)) {
    const lines = answeredParts(scene, crowds, order);
    panels.push({ title: `${column}: answered in time, per cent`, lines });
    for (const [name, points] of Object.entries(lines)) {
      const measured = meanBetween(points, overload.from, overload.to);
      figures.push(figure(name, measured, expected[name] as [number, number], column));
    }
  }
  const subtitle =
    `The server can do ${(limit * 1000) / time} a second, ${limit} at once, and ${queueLimit} may wait. ` +
    `Clients give up after ${timeout / 1000} s.`;
  return { figures, plot: { subtitle, panels } };
}

/** In per cent over time. */
function answeredParts(
  { limit, queueLimit, time, timeout, seconds }: Scene,
  crowds: readonly Crowd[],
  order: Order,
): Readonly<Record<string, readonly Point[]>> {
  const server = new Server(limit, { limit, queueLimit, order });
  const { simulation } = server;
  const times = exponential(time);
  const parts = crowds.map(({ name, rate, ...asker }) => {
    const work = { times, ...asker };
    const client = new Client(simulation, (answer) => server.request(work, answer), { timeout });
    const part = new Gauge(simulation, 2000);
    arrive(simulation, rate, () => client.call((succeeded) => part.note(succeeded ? 100 : 0)));
    return [name, part.means] as const;
  });
  simulation.run(seconds * 1000);
  return Object.fromEntries(parts);
}
