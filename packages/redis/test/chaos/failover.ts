import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Environment,
  type EnvironmentOptions,
  type Fault,
  forgetting,
  oneServer,
  onServers,
} from '@headgate/chaos';
import { type RedisServer, startRedis } from '@headgate/test-servers';
import { command } from './command.ts';
import { settingsFor } from './connect.ts';
import { faultsOf } from './faults.ts';
import { connectVerifier } from './verifier.ts';

/** A server with a replica that takes over when the server is gone; the proxies lead to the current master. */
export async function failover({ size, ...times }: EnvironmentOptions): Promise<Environment> {
  const servers = new Pair(await startRedis());
  await servers.follow();
  const promote = promotionOf(servers);
  return oneServer(size, {
    server: servers,
    faults: [...faultsOf(servers), promote, { ...promote, name: 'promote the replica again' }],
    connectionSettings: (port, { slot }) => settingsFor(slot, { cluster: false, ports: [port] }),
    verify: async (port) => connectVerifier(port, false, times),
  });
}

function promotionOf(servers: Pair): Fault {
  const promote = forgetting(
    onServers('promote the replica', async ({ rng, environment }) => {
      // The old master is gone, or is only slow and continues without clients.
      if (rng.chance(0.5)) await servers.primary.kill();
      else servers.primary.freeze();
      await servers.promote();
      for (const proxy of environment.proxies) proxy.cut();
    }),
  );
  return {
    ...promote,
    inject: async (context) => {
      await promote.inject(context);
      await servers.follow();
    },
  };
}

class Pair {
  #replica: RedisServer | undefined;
  #old: RedisServer | undefined;

  constructor(public primary: RedisServer) {}

  get nodes(): readonly RedisServer[] {
    return [this.primary];
  }

  async recovered(): Promise<void> {}

  /** The current target of the proxies. */
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

  /** Starts the next replica, and stops the former master. */
  async follow(): Promise<void> {
    await this.#old?.stop();
    this.#old = undefined;
    // By a command instead of an argument: after a later restart it is the master.
    const next = await startRedis();
    await command(next, 'REPLICAOF', '127.0.0.1', `${this.primary.port}`);
    while (!String(await command(next, 'INFO')).includes('master_link_status:up')) await sleep(10);
    this.#replica = next;
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.#replica?.stop(), this.#old?.stop()]);
  }
}
