import autocannon from 'autocannon';
import type { Clients } from 'headgate/load';
import { arrivals } from '../overload/arrivals.ts';
import { sendAll } from '../overload/load.ts';

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
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/`,
    connections,
    duration: burstTime,
    // autocannon stops only at a sample, by default once a second.
    sampleInt: 25,
    ...(newConnections && { headers: { connection: 'close' } }),
  });
  return { requests: result['2xx'] + result.non2xx, refused: result.non2xx };
}

/** Sends this many requests per second for half a second, at random times, whatever became of earlier ones. */
export async function openLoad(clients: Clients, port: number, rate: number): Promise<Burst> {
  const schedule = arrivals([{ name: 'even', duration: burstTime, rate }], 1);
  const attempts = await sendAll(clients, { port }, schedule);
  const refused = attempts.filter(({ outcome }) => outcome !== 'answered').length;
  return { requests: attempts.length, refused };
}
