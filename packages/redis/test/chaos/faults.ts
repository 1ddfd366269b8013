import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Fault,
  type FaultContext,
  forgetting,
  freeze,
  onServers,
  partOfLease,
} from '@headgate/chaos';
import type { RedisServer } from '@headgate/test-servers';
import { command } from './command.ts';

/** The servers of an environment. */
export interface Servers {
  /** The servers that accept writes now. */
  readonly nodes: readonly RedisServer[];
  /** Resolves when all servers respond: a cluster needs time to agree on its state. */
  recovered(): Promise<void>;
}

/** Faults of the servers. */
export function faultsOf(servers: Servers): Fault[] {
  const all = (name: string, inject: Injection): Fault =>
    onServers(name, async (context) => {
      await Promise.all(servers.nodes.map((node) => inject(node, context)));
      await servers.recovered();
    });
  return [
    all('CLIENT KILL', (node) => command(node, 'CLIENT', 'KILL', 'TYPE', 'normal')),
    all('CLIENT KILL of subscribers', (node) => command(node, 'CLIENT', 'KILL', 'TYPE', 'pubsub')),
    all('CLIENT PAUSE', pause),
    all('freeze the server', freeze),
    { ...all('SCRIPT FLUSH', (node) => command(node, 'SCRIPT', 'FLUSH')), harmless: true },
    all('overflow of subscribers', overflow),
    forgetting(all('FLUSHALL', (node) => command(node, 'FLUSHALL'))),
    forgetting(all('restart the server', (node) => node.restart())),
  ];
}

type Injection = (node: RedisServer, context: FaultContext) => Promise<unknown>;

const pause: Injection = async (node, context) => {
  const ms = Math.round(partOfLease(context));
  const which = context.rng.chance(0.5) ? 'ALL' : 'WRITE';
  await command(node, 'CLIENT', 'PAUSE', `${ms}`, which);
  await sleep(ms);
};

/** A subscriber with more unread data than the server buffers is disconnected, and misses messages meanwhile. */
const overflow: Injection = async (node) => {
  const set = (limit: string) =>
    command(node, 'CONFIG', 'SET', 'client-output-buffer-limit', `pubsub ${limit}`);
  await set('4096 4096 1');
  const channels = (await command(node, 'PUBSUB', 'CHANNELS')) as string[];
  const long = 'x'.repeat(100_000);
  await Promise.all(channels.map((channel) => command(node, 'PUBLISH', channel, long)));
  await set('33554432 8388608 60');
};
