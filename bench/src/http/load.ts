import type { Clients } from 'headgate/load';
import { arrivals } from '../overload/arrivals.ts';
import { sendAll } from '../overload/load.ts';
import { keepBusy, requestOf } from './connection.ts';

/** The answers to a burst of load. */
export interface Burst {
  requests: number;
  /** Answers other than 2xx. */
  refused: number;
}

export const burstTime = 0.5;

/** Keeps every connection busy for half a second. With `newConnections`, each request opens a new connection. */
export async function load(
  port: number,
  connections: number,
  newConnections = false,
): Promise<Burst> {
  const request = requestOf('GET', '/', newConnections ? 'Connection: close\r\n' : '');
  const requests = Array.from({ length: connections }, () => [request]);
  const burst = { requests: 0, refused: 0 };
  await keepBusy({ port, requests, duration: 1_000 * burstTime }, (status) => {
    burst.requests++;
    if (status !== 200) burst.refused++;
  });
  return burst;
}

/** Sends this many requests per second for half a second, at random times, whatever became of earlier ones. */
export async function openLoad(clients: Clients, port: number, rate: number): Promise<Burst> {
  const schedule = arrivals([{ name: 'even', duration: burstTime, rate }], 1);
  const attempts = await sendAll(clients, { port }, schedule);
  const refused = attempts.filter(({ outcome }) => outcome !== 'answered').length;
  return { requests: attempts.length, refused };
}
