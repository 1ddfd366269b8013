import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisServer, startProxy, startRedis } from '@headgate/test-servers';
import { command } from '../command.ts';
import type { Fault } from '../faults/fault.ts';
import { stamp } from '../log/stamp.ts';
import type { Ground } from './ground.ts';

/** A server with a replica that takes over when it is gone, and a proxy for each worker that leads to the one in charge. */
export async function failover(size: number): Promise<Ground> {
  const servers = new Pair(await startRedis());
  await servers.follow();
  const proxies = await Promise.all(Array.from({ length: size }, () => startProxy(servers)));
  const promote: Fault = {
    name: 'promote the replica',
    alone: true,
    strike: async ({ dice, note }) => {
      const from = stamp();
      // It is gone, or only slow and wakes up with nobody there.
      if (dice.chance(0.5)) await servers.primary.kill();
      else servers.primary.freeze();
      await servers.promote();
      for (const proxy of proxies) proxy.cut();
      note({ kind: 'lost', at: stamp(), from });
      await servers.follow();
    },
  };
  return {
    cluster: false,
    get nodes() {
      return [servers.primary];
    },
    proxies,
    faults: [promote, { ...promote, name: 'promote the replica again' }],
    portsOf: (slot) => [proxies[slot]?.port ?? servers.port],
    recovered: async () => {},
    stop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      await servers.stop();
    },
  };
}

class Pair {
  #replica: RedisServer | undefined;
  #old: RedisServer | undefined;

  constructor(public primary: RedisServer) {}

  /** Where the proxies lead. */
  get port(): number {
    return this.primary.port;
  }

  async promote(): Promise<void> {
    if (this.#replica === undefined) throw new Error('there is no replica');
    await command(this.#replica, 'REPLICAOF', 'NO', 'ONE');
    this.#old = this.primary;
    this.primary = this.#replica;
    this.#replica = undefined;
  }

  /** Starts the next replica, and ends the server that is no longer in charge. */
  async follow(): Promise<void> {
    await this.#old?.stop();
    this.#old = undefined;
    // Told to follow, and not started so: where it is restarted later, it is the one in charge.
    const next = await startRedis();
    await command(next, 'REPLICAOF', '127.0.0.1', `${this.primary.port}`);
    while (!String(await command(next, 'INFO')).includes('master_link_status:up')) await sleep(10);
    this.#replica = next;
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.#replica?.stop(), this.#old?.stop()]);
  }
}
