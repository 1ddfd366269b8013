import type { Order } from '@headgate/core';
import { arrive, type Rate } from './arrivals.ts';
import { Client } from './client.ts';
import type { Point } from './plot/plot.ts';
import { Server, type Work } from './server.ts';
import { Gauge } from './watch.ts';

/** Clients of one sort. */
export interface Crowd {
  readonly name: string;
  readonly work: Work;
  readonly rate: Rate;
}

/** What several crowds meet. */
export interface Scene {
  /** How many the server lets in at once, which is as many as it can do as fast as one. */
  readonly limit: number;
  readonly queueLimit: number;
  /** Milliseconds after which clients give up. They do not try again. */
  readonly timeout: number;
  readonly seconds: number;
}

/** What part of each crowd's calls is answered in time, in per cent over time. */
export function answeredParts(
  { limit, queueLimit, timeout, seconds }: Scene,
  crowds: readonly Crowd[],
  order: Order,
): Readonly<Record<string, readonly Point[]>> {
  const server = new Server(limit, { limit, queueLimit, order });
  const { simulation } = server;
  const parts = crowds.map(({ name, work, rate }) => {
    const client = new Client(simulation, (answer) => server.request(work, answer), { timeout });
    const part = new Gauge(simulation, 2000);
    arrive(simulation, rate, () => client.call((succeeded) => part.note(succeeded ? 100 : 0)));
    return [name, part.means] as const;
  });
  simulation.run(seconds * 1000);
  return Object.fromEntries(parts);
}
