import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '@headgate/test-servers';
import { command } from '../command.ts';
import { stamp } from '../log/stamp.ts';
import type { Fault, Stage } from './fault.ts';

function onTheServers(
  name: string,
  strike: (node: RedisServer, stage: Stage) => Promise<unknown>,
): Fault {
  return {
    name,
    alone: true,
    strike: async (stage) => {
      await Promise.all(stage.ground.nodes.map((node) => strike(node, stage)));
      await stage.ground.recovered();
    },
  };
}

/** As one that forgets all. */
function forgetting(fault: Fault): Fault {
  return {
    ...fault,
    strike: async (stage) => {
      const from = stamp();
      await fault.strike(stage);
      stage.note({ kind: 'lost', at: stamp(), from });
    },
  };
}

const killClients = onTheServers('CLIENT KILL', (node) =>
  command(node, 'CLIENT', 'KILL', 'TYPE', 'normal'),
);

const killSubscribers = onTheServers('CLIENT KILL of subscribers', (node) =>
  command(node, 'CLIENT', 'KILL', 'TYPE', 'pubsub'),
);

const pause = onTheServers('CLIENT PAUSE', async (node, { dice, lease }) => {
  const ms = Math.round(lease * dice.between(0.1, 1.5));
  await command(node, 'CLIENT', 'PAUSE', `${ms}`, dice.chance(0.5) ? 'ALL' : 'WRITE');
  await sleep(ms);
});

const freeze = onTheServers('freeze the server', async (node, { dice, lease }) => {
  node.freeze();
  await sleep(lease * dice.between(0.1, 1.5));
  node.thaw();
});

const flushScripts = onTheServers('SCRIPT FLUSH', (node) => command(node, 'SCRIPT', 'FLUSH'));

/** A subscriber that has more to read than the server keeps is cut off, and loses what was said meanwhile. */
const overflow = onTheServers('overflow of subscribers', async (node) => {
  const set = (limit: string) =>
    command(node, 'CONFIG', 'SET', 'client-output-buffer-limit', `pubsub ${limit}`);
  await set('4096 4096 1');
  const channels = (await command(node, 'PUBSUB', 'CHANNELS')) as string[];
  const long = 'x'.repeat(100_000);
  await Promise.all(channels.map((channel) => command(node, 'PUBLISH', channel, long)));
  await set('33554432 8388608 60');
});

const flush = forgetting(onTheServers('FLUSHALL', (node) => command(node, 'FLUSHALL')));

const restart = forgetting(onTheServers('restart the server', (node) => node.restart()));

/** What befalls the store. */
export const servers: readonly Fault[] = [
  killClients,
  killSubscribers,
  pause,
  freeze,
  flushScripts,
  overflow,
  flush,
  restart,
];
