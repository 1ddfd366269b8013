import {
  type Call,
  Clients,
  type Closed,
  closedLoop as loop,
  type Attempt as Sent,
  openLoop as send,
} from 'headgate/load';
import type { Arrival } from './arrivals.ts';

/** The clients' timeout in milliseconds. */
const clientTimeout = 1_000;

/** A sent request and its outcome. */
export type Attempt = Arrival & Sent;

/** The target of the clients, and their use of connections. */
export interface Route {
  port: number;
  /** Default: `/`. */
  path?: string;
  /** See `Clients`. */
  ownConnections: boolean;
}

const callOf = ({ port, path = '/' }: Omit<Route, 'ownConnections'>): Call => ({
  ...{ host: '127.0.0.1', port, path },
});

/** Sends each request at its due time, whatever became of earlier ones. Times count from the due time. */
export async function openLoop(route: Route, schedule: readonly Arrival[]): Promise<Attempt[]> {
  const clients = new Clients(route);
  const attempts = await sendAll(clients, route, schedule);
  clients.close();
  return attempts;
}

/** The same with clients that keep their connections. */
export function sendAll(
  clients: Clients,
  route: Omit<Route, 'ownConnections'>,
  schedule: readonly Arrival[],
): Promise<Attempt[]> {
  const call = callOf(route);
  const critical = { ...call, headers: { 'x-class': 'critical' } };
  return send(schedule, clientTimeout, async (arrival, timeout) => {
    return (await clients.send(arrival.critical ? critical : call, timeout)).outcome;
  });
}

/** Runs `count` clients that each send the next request after the answer. The first fifth of the time does not count. */
export async function closedLoop(route: Route, count: number, seconds: number): Promise<Closed> {
  const clients = new Clients(route);
  const call = callOf(route);
  const closed = await loop({ clients: count, duration: 1_000 * seconds }, async () => {
    return (await clients.send(call, 10_000)).outcome;
  });
  clients.close();
  return closed;
}
