import { setTimeout as delay } from 'node:timers/promises';
import { ask } from './ask.ts';
import { type RedisServer, startRedis } from './redis-server.ts';

const SLOTS = 16_384;

/** A slot migration in progress: some of its keys may have moved. */
export interface SlotMove {
  /** Moves the slot's keys to the new node. */
  migrate(): Promise<void>;
  /** Makes the new node the owner on all nodes. */
  finish(): Promise<void>;
}

/** A Redis Cluster that consists of masters only. */
export class RedisCluster {
  constructor(readonly nodes: readonly RedisServer[]) {}

  async slotOf(key: string): Promise<number> {
    return Number(await ask(this.#first.port, 'CLUSTER', 'KEYSLOT', key));
  }

  async ownerOf(slot: number): Promise<RedisServer> {
    for (const range of (await ask(this.#first.port, 'CLUSTER', 'SLOTS')) as SlotRange[]) {
      const [from, to, [, port]] = range;
      const owner = this.nodes.find((node) => node.port === port);
      if (slot >= from && slot <= to && owner !== undefined) return owner;
    }
    throw new Error(`no node owns slot ${slot}`);
  }

  /** Moves a slot and its keys while clients continue to use it. */
  async moveSlot(slot: number, to: RedisServer): Promise<void> {
    const move = await this.startMove(slot, to);
    await move.migrate();
    await move.finish();
  }

  /**
   * Moves a slot in steps. Until `migrate`, the old owner has the keys, and redirects clients to the new owner for
   * missing keys.
   */
  async startMove(slot: number, to: RedisServer): Promise<SlotMove> {
    const from = await this.ownerOf(slot);
    const [old, next] = [await idOf(from), await idOf(to)];
    const set = (node: RedisServer, ...args: string[]) =>
      ask(node.port, 'CLUSTER', 'SETSLOT', `${slot}`, ...args);
    await set(to, 'IMPORTING', old);
    await set(from, 'MIGRATING', next);
    return {
      migrate: async () => {
        for (;;) {
          const keys = await ask(from.port, 'CLUSTER', 'GETKEYSINSLOT', `${slot}`, '100');
          if ((keys as string[]).length === 0) return;
          const target = ['127.0.0.1', `${to.port}`, '', '0', '5000', 'KEYS'];
          await ask(from.port, 'MIGRATE', ...target, ...(keys as string[]));
        }
      },
      finish: async () => {
        const others = this.nodes.filter((node) => node !== from && node !== to);
        for (const node of [to, from, ...others]) await set(node, 'NODE', next);
      },
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop()));
  }

  get #first(): RedisServer {
    return this.nodes[0] as RedisServer;
  }
}

type SlotRange = [from: number, to: number, master: [host: string, port: number]];

/** Starts masters that share the slots evenly; resolves when all nodes agree on the slots. */
export async function startCluster(nodes = 3): Promise<RedisCluster> {
  const args = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'];
  const servers = await Promise.all(Array.from({ length: nodes }, () => startRedis({ args })));
  try {
    await Promise.all(servers.map((server, i) => introduce(server, i, servers)));
    await Promise.all(servers.map((server) => agreed(server, nodes)));
  } catch (error) {
    await new RedisCluster(servers).stop();
    throw error;
  }
  return new RedisCluster(servers);
}

async function introduce(
  { port }: RedisServer,
  index: number,
  servers: readonly RedisServer[],
): Promise<void> {
  const share = SLOTS / servers.length;
  const from = Math.ceil(index * share);
  const own = Array.from(
    { length: Math.ceil((index + 1) * share) - from },
    (_, i) => `${from + i}`,
  );
  await ask(port, 'CLUSTER', 'ADDSLOTS', ...own);
  await ask(port, 'CLUSTER', 'SET-CONFIG-EPOCH', `${index + 1}`);
  const first = servers[0] as RedisServer;
  if (index > 0) await ask(port, 'CLUSTER', 'MEET', '127.0.0.1', `${first.port}`);
}

async function agreed({ port }: RedisServer, nodes: number): Promise<void> {
  for (const end = Date.now() + 20_000; ; await delay(20)) {
    const info = String(await ask(port, 'CLUSTER', 'INFO'));
    const parts = (await ask(port, 'CLUSTER', 'SLOTS')) as SlotRange[];
    if (info.includes('cluster_state:ok') && parts.length === nodes) return;
    if (Date.now() > end) throw new Error(`the cluster does not agree: ${info}`);
  }
}

async function idOf({ port }: RedisServer): Promise<string> {
  return String(await ask(port, 'CLUSTER', 'MYID'));
}
