import { setTimeout as wait } from 'node:timers/promises';
import { arrivals, Clients, type Outcome, openLoop } from 'headgate/load';

type Send = (path: string) => Promise<Outcome>;

/** What a scene does with a server that has just started. Returns the outcomes of the requests that count. */
type Play = (send: Send) => Promise<readonly Outcome[]>;

export interface Scene {
  readonly name: string;
  readonly play: Play;
  /**
   * The smallest part of what is answered without a limit. Undefined for bursts that look like an overload
   * (docs/decisions/0072).
   */
  readonly goal?: number;
  /** The fixed limit that is measured too. Default: 50. */
  readonly fixed?: number;
  readonly queueTimeout?: number;
}

/** Milliseconds that a client waits, at most. */
const TIMEOUT = 30_000;

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

/** Sends `rate` requests per second at random times, whether earlier ones have been answered or not. */
async function load(send: Send, path: string, rate: number, seconds: number, seed = 1) {
  const phases = [{ name: path, duration: 1_000 * seconds, rate }];
  const attempts = await openLoop(arrivals(phases, seed), TIMEOUT, () => send(path));
  return attempts.map(({ outcome }) => outcome);
}

/** As a process that has served a few requests. */
const warmUp = async (send: Send, path: string, count = 5) => {
  for (let request = 0; request < count; request++) await send(path);
};

const upstream =
  (milliseconds: number, rate: number, seconds: number): Play =>
  (send) =>
    load(send, `/wait/${milliseconds}`, rate, seconds);

const burst =
  (count: number, milliseconds: number, warm = 5): Play =>
  async (send) => {
    const path = `/wait/${milliseconds}`;
    await warmUp(send, path, warm);
    return Promise.all(times(count, () => send(path)));
  };

/** Ordinary requests, while others are pending. */
const nextTo =
  (count: number, pending: string): Play =>
  async (send) => {
    await warmUp(send, '/wait/15');
    for (let request = 0; request < count; request++) void send(pending);
    await wait(500);
    return load(send, '/wait/15', 100, 5);
  };

const nextToHang: Play = async (send) => {
  await warmUp(send, '/wait/2', 50);
  const hanging = load(send, '/hang/15000', 20, 15);
  const outcomes = await load(send, '/wait/2', 100, 15, 2);
  await hanging;
  return outcomes;
};

const pages: Play = async (send) => {
  const end = performance.now() + 5_000;
  const outcomes: Outcome[] = [];
  const client = async () => {
    while (performance.now() < end) outcomes.push(await send('/page'));
  };
  await Promise.all(times(24, client));
  return outcomes;
};

const smallBursts: Play = async (send) => {
  await warmUp(send, '/wait/20', 30);
  const outcomes: Outcome[] = [];
  for (let round = 0; round < 20; round++) {
    outcomes.push(...(await Promise.all(times(5, () => send('/wait/20')))));
    await wait(50);
  }
  return outcomes;
};

const step: Play = async (send) => {
  await warmUp(send, '/wait/5', 30);
  return load(send, '/wait/5', 800, 3);
};

export const scenes: readonly Scene[] = [
  { name: 'a route, next to one that hangs for 15 s', play: nextToHang, goal: 0.95 },
  { name: 'a new process, a service of 1 s, 20/s', play: upstream(1_000, 20, 5), goal: 0.97 },
  { name: 'a new process, a service of 5 s, 20/s', play: upstream(5_000, 20, 8), goal: 0.97 },
  { name: 'a new process, a service of 20 s, 5/s', play: upstream(20_000, 5, 25), goal: 0.97 },
  { name: 'a new process, 200 at once, 80 ms', play: burst(200, 80, 0), goal: 0.9 },
  { name: 'a new process, 200 at once, 300 ms', play: burst(200, 300, 0) },
  { name: 'idle, 40 at once, 80 ms', play: burst(40, 80), goal: 0.97 },
  { name: 'idle, 200 at once, 80 ms', play: burst(200, 80), goal: 0.97 },
  { name: 'idle, 40 at once, 300 ms', play: burst(40, 300), goal: 0.97 },
  { name: 'idle, 100 at once, 300 ms', play: burst(100, 300) },
  { name: 'ordinary requests next to 60 long polls', play: nextTo(60, '/wait/25000'), goal: 0.98 },
  { name: 'ordinary requests next to 60 event streams', play: nextTo(60, '/stream'), goal: 0.98 },
  { name: '24 clients, pages that request this server', play: pages, goal: 0.95, fixed: 8 },
  { name: 'idle, then 800/s of 5 ms', play: step, goal: 0.99 },
  {
    name: 'bursts of five, `queueTimeout: 0`',
    ...{ play: smallBursts, goal: 0.9, fixed: 8, queueTimeout: 0 },
  },
];

/** Plays a scene in front of the server on this port. */
export async function answeredPart(scene: Scene, port: number): Promise<number> {
  const clients = new Clients();
  const call = { host: '127.0.0.1', port };
  const send = async (path: string) => (await clients.send({ ...call, path }, TIMEOUT)).outcome;
  const outcomes = await scene.play(send);
  clients.close();
  return outcomes.filter((outcome) => outcome === 'answered').length / outcomes.length;
}
