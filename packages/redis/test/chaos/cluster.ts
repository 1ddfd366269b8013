import { setTimeout as sleep } from 'node:timers/promises';
import { type Environment, type EnvironmentOptions, type Fault, onServers } from '@headgate/chaos';
import { type RedisCluster, startCluster } from '@headgate/test-servers';
import { command } from './command.ts';
import { settingsFor } from './connect.ts';
import { faultsOf } from './faults.ts';
import { connectVerifier } from './verifier.ts';

/** Three servers that share the slots; slots move between them while the limits are in use. */
export async function cluster({ limits, ...times }: EnvironmentOptions): Promise<Environment> {
  const servers = await startCluster();
  const { nodes } = servers;
  const ports = nodes.map(({ port }) => port);
  const { store, close } = connectVerifier(ports[0] ?? 0, true, times);
  const move = moveOf(servers, limits);
  const faults = faultsOf({ nodes, recovered: () => whole(servers) });
  return {
    store,
    proxies: [],
    faults: [...faults, move, { ...move, name: 'move a slot again' }],
    connectionSettings: ({ slot }) => settingsFor(slot, { cluster: true, ports }),
    stop: async () => {
      await close();
      await servers.stop();
    },
  };
}

function moveOf(servers: RedisCluster, limits: readonly number[]): Fault {
  return onServers('move a slot', async ({ rng }) => {
    const slot = await servers.slotOf(`headgate:{chaos-${rng.pick(limits)}}`);
    const from = await servers.ownerOf(slot);
    const to = rng.pick(servers.nodes.filter((node) => node !== from)) ?? from;
    const moving = await servers.startMove(slot, to);
    await sleep(rng.between(0, 200));
    await moving.migrate();
    await sleep(rng.between(0, 200));
    await moving.finish();
  });
}

async function whole({ nodes }: RedisCluster): Promise<void> {
  for (const node of nodes) {
    while (!String(await command(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok')) {
      await sleep(20);
    }
  }
}
