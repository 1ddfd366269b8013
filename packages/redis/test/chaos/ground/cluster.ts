import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '@headgate/test-servers';
import { command } from '../command.ts';
import type { Fault } from '../faults/fault.ts';
import type { Ground } from './ground.ts';

/** Three servers that share the slots, which move between them while the limits are in use. */
export async function cluster(limits: readonly number[]): Promise<Ground> {
  const servers = await startCluster();
  const move: Fault = {
    name: 'move a slot',
    alone: true,
    strike: async ({ dice }) => {
      const slot = await servers.slotOf(`headgate:{chaos-${dice.pick(limits)}}`);
      const from = await servers.ownerOf(slot);
      const to = dice.pick(servers.nodes.filter((node) => node !== from)) ?? from;
      const moving = await servers.startMove(slot, to);
      await sleep(dice.between(0, 200));
      await moving.migrate();
      await sleep(dice.between(0, 200));
      await moving.finish();
    },
  };
  return {
    cluster: true,
    nodes: servers.nodes,
    proxies: [],
    faults: [move, { ...move, name: 'move a slot again' }],
    portsOf: () => servers.nodes.map(({ port }) => port),
    recovered: async () => {
      for (const node of servers.nodes) {
        while (!String(await command(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok')) {
          await sleep(20);
        }
      }
    },
    stop: () => servers.stop(),
  };
}
