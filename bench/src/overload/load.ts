import type { Arrival } from './arrivals.ts';
import { type Attempt, Clients, patience, type Route } from './client.ts';
import { slope } from './figures.ts';

/** Milliseconds. */
const now = (): number => performance.now();

/**
 * Sends each request at its scheduled time, whether or not earlier ones have been answered. Times count from the
 * scheduled time.
 */
export async function openLoop(route: Route, schedule: readonly Arrival[]): Promise<Attempt[]> {
  const clients = new Clients(route);
  const start = now();
  const send = async (arrival: Arrival): Promise<Attempt> => {
    const lateness = now() - start - arrival.at;
    const headers: Record<string, string> = arrival.critical ? { 'x-class': 'critical' } : {};
    const result = await clients.send('/', headers, Math.max(1, patience - lateness));
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
  const all = await Promise.all(attempts);
  clients.close();
  return all;
}

/** The results of clients that wait for their answers. */
export interface Closed {
  /** Duration of each request in milliseconds. */
  times: number[];
  /** Answers per second. */
  rate: number;
}

/** Each client sends its next request when the previous one is answered; the first fifth of the time is not counted. */
export async function closedLoop(route: Route, count: number, seconds: number): Promise<Closed> {
  const clients = new Clients(route);
  const begin = now() + seconds * 200;
  const end = now() + seconds * 1_000;
  const times: number[] = [];
  const ends: number[] = [];
  const loop = async () => {
    while (now() < end) {
      const start = now();
      const result = await clients.send('/', {}, 10_000);
      if (result !== 'answered' || now() < begin || now() > end) continue;
      times.push(now() - start);
      ends.push(now());
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
  clients.close();
  return { times, rate: 1_000 * slope(ends) };
}
