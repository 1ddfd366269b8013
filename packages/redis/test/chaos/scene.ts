import { Cluster, Redis } from 'ioredis';
import { redisStore } from '../../src/index.ts';
import { Crew } from './crew.ts';
import { Dice } from './dice.ts';
import type { Fault } from './faults/fault.ts';
import { network } from './faults/network.ts';
import { processes } from './faults/processes.ts';
import { servers } from './faults/servers.ts';
import { cluster } from './ground/cluster.ts';
import { failover } from './ground/failover.ts';
import type { Ground } from './ground/ground.ts';
import { single } from './ground/single.ts';
import { Record } from './log/record.ts';
import { verifier, watchLoop } from './log/watch-loop.ts';
import { type Report, reportOn } from './report.ts';
import { round } from './round.ts';
import type { Weather } from './storm.ts';

const size = 8;
/** Milliseconds. */
const lease = 1_000;
const timeout = 300;

export const grounds = {
  single: () => single(size),
  cluster: (limits: readonly number[]) => cluster(limits),
  failover: () => failover(size),
};

export interface SceneOptions {
  readonly ground: keyof typeof grounds;
  readonly seed: number;
  readonly limits: readonly number[];
  /** Milliseconds of peace in each round, before the faults. */
  readonly calm: number;
  readonly weather: (dice: Dice) => Weather;
  /** Whether there is to be a round more. */
  readonly more: (done: number) => boolean;
  /** Only faults whose name says so. */
  readonly only?: string | undefined;
  /** Is told of each round. */
  readonly tell: (report: Report) => void;
}

/** Eight processes, a store, and what befalls them; round after round. */
export async function play(options: SceneOptions): Promise<void> {
  const { limits, seed, calm } = options;
  const ground = await grounds[options.ground](limits);
  const dice = new Dice(seed);
  let record = new Record(lease);
  const note: Record['note'] = (event) => record.note(event);
  const portsOf = (slot: number) => ground.portsOf(slot);
  const about = { cluster: ground.cluster, limits, lease, timeout, portsOf };
  const crew = new Crew({ ...about, size, dice, note });
  const { store, close } = ownStore(ground);
  const unwatch = watchLoop(verifier, note);
  try {
    const faults = faultsOn(ground, options.only);
    const stage = { crew, ground, dice, lease, note };
    for (let done = 0; options.more(done); done++) {
      record = new Record(lease);
      const weather = options.weather(dice);
      await round({ stage, faults, limits, record, store, calm, weather });
      options.tell(reportOn(record, limits, `${options.ground}, seed ${seed}, round ${done + 1}`));
    }
  } finally {
    unwatch();
    await crew.close();
    await close();
    await ground.stop();
  }
}

function faultsOn(ground: Ground, only = ''): readonly Fault[] {
  const all = [...processes, ...servers, ...ground.faults];
  const possible = ground.proxies.length > 0 ? [...all, ...network] : all;
  const faults = possible.filter(({ name }) => name.includes(only));
  if (faults.length === 0) throw new Error(`no fault has "${only}" in its name`);
  return faults;
}

function ownStore(ground: Ground) {
  const [port = 0] = ground.portsOf(0);
  const client = ground.cluster
    ? new Cluster([{ host: '127.0.0.1', port }], { clusterRetryStrategy: () => 50 })
    : new Redis({ host: '127.0.0.1', port, retryStrategy: () => 50 });
  client.on('error', () => {});
  const store = redisStore({ client, lease, timeout });
  const close = async () => {
    await store.close();
    client.disconnect();
  };
  return { store, close };
}
