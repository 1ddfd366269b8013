import type { Arrival } from './arrivals.ts';
import { type Attempt, Clients, clientTimeout, type Route } from './client.ts';
import { slope } from './figures.ts';

/** Milliseconds. */
const now = (): number => performance.now();

/** Sends each request at its due time, whatever became of earlier ones. Times count from the due time. */
export async function openLoop(route: Route, schedule: readonly Arrival[]): Promise<Attempt[]> {
  const clients = new Clients(route);
  const attempts = await sendAll(clients, schedule);
  clients.close();
  return attempts;
}

/** The same with clients that keep their connections. */
export async function sendAll(clients: Clients, schedule: readonly Arrival[]): Promise<Attempt[]> {
  const start = now();
  const send = async (arrival: Arrival): Promise<Attempt> => {
    const lateness = now() - start - arrival.at;
    const headers: Record<string, string> = arrival.critical ? { 'x-class': 'critical' } : {};
    const result = await clients.send(headers, Math.max(1, clientTimeout - lateness));
    return { ...arrival, result, lateness, took: now() - start - arrival.at };
  };
  const attempts: Array<Promise<Attempt>> = [];
  await new Promise<void>((resolve) => {
    const sendWhatIsDue = () => {
      for (;;) {
        const arrival = schedule[attempts.length];
        if (arrival === undefined) return resolve();
        const ahead = arrival.at - (now() - start);
        if (ahead > 0) return void setTimeout(sendWhatIsDue, ahead);
        attempts.push(send(arrival));
      }
    };
    sendWhatIsDue();
  });
  return Promise.all(attempts);
}

/** The results of clients in a closed loop. */
export interface Closed {
  /** The time of each answer in milliseconds. */
  times: number[];
  /** Answers per second. */
  rate: number;
}

/**
 * Runs `count` clients that each send the next request after the answer. The first fifth of the time does not count.
 */
export async function closedLoop(route: Route, count: number, seconds: number): Promise<Closed> {
  const clients = new Clients(route);
  const begin = now() + seconds * 200;
  const end = now() + seconds * 1_000;
  const times: number[] = [];
  const ends: number[] = [];
  const loop = async () => {
    while (now() < end) {
      const start = now();
      const result = await clients.send({}, 10_000);
      if (result !== 'answered' || now() < begin || now() > end) continue;
      times.push(now() - start);
      ends.push(now());
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
  clients.close();
  return { times, rate: 1_000 * slope(ends) };
}
