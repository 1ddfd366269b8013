import type { Arrival } from './arrivals.ts';
import { Clients, patience, type Visit } from './client.ts';

/** Milliseconds. */
const now = (): number => performance.now();

/** Sends each request at its time, whatever became of those before. Times count from when it was to be sent. */
export async function openLoop(port: number, schedule: readonly Arrival[]): Promise<Visit[]> {
  const clients = new Clients(port);
  const start = now();
  const send = async (arrival: Arrival): Promise<Visit> => {
    const lateness = now() - start - arrival.at;
    const headers: Record<string, string> = arrival.critical ? { 'x-class': 'critical' } : {};
    const result = await clients.send('/', headers, Math.max(1, patience - lateness));
    return { ...arrival, result, lateness, took: now() - start - arrival.at };
  };
  const visits: Array<Promise<Visit>> = [];
  await new Promise<void>((resolve) => {
    const sendWhatIsDue = () => {
      for (;;) {
        const arrival = schedule[visits.length];
        if (arrival === undefined) return resolve();
        const ahead = arrival.at - (now() - start);
        if (ahead > 0) return void setTimeout(sendWhatIsDue, ahead);
        visits.push(send(arrival));
      }
    };
    sendWhatIsDue();
  });
  const all = await Promise.all(visits);
  clients.close();
  return all;
}

/** Each of so many clients sends its next request when it has the answer. The milliseconds that the answered ones took. */
export async function closedLoop(port: number, count: number, seconds: number): Promise<number[]> {
  const clients = new Clients(port);
  const end = now() + seconds * 1_000;
  const times: number[] = [];
  const loop = async () => {
    while (now() < end) {
      const start = now();
      const result = await clients.send('/', {}, 10_000);
      if (result === 'answered' && now() < end) times.push(now() - start);
    }
  };
  await Promise.all(Array.from({ length: count }, loop));
  clients.close();
  return times;
}
