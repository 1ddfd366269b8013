import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answers, ask } from './ask.ts';
import { freePort } from './ports.ts';
import { ServerProcess } from './process.ts';
import { findProgram } from './programs.ts';

export interface RedisOptions {
  /** Command-line arguments: `['--maxmemory', '2mb']`. */
  readonly args?: readonly string[];
}

/** A Redis server on 127.0.0.1 that stores nothing on disk, and ends when this process ends. */
export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #process: ServerProcess;

  static async start({ args = [] }: RedisOptions = {}): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'headgate-redis-'));
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const process = await launch(port, folder, args).catch((error: unknown) => error as Error);
      if (process instanceof ServerProcess) return new RedisServer(port, folder, args, process);
      // Another test may have taken the port first.
      if (attempt < 3) continue;
      await rm(folder, { recursive: true, force: true });
      throw process;
    }
  }

  private constructor(
    port: number,
    folder: string,
    args: readonly string[],
    process: ServerProcess,
  ) {
    this.port = port;
    this.#folder = folder;
    this.#args = args;
    this.#process = process;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Stops it and removes its files. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    await this.#process.kill();
  }

  /**
   * Kills the server if it is running, and starts another one on its port. The new server has no data, except its
   * cluster configuration.
   */
  async restart(): Promise<void> {
    await this.kill();
    this.#process = await launch(this.port, this.#folder, this.#args);
  }

  /** Stops the server's responses until `thaw`; its connections stay open. */
  freeze(): void {
    this.#process.signal('SIGSTOP');
  }

  thaw(): void {
    this.#process.signal('SIGCONT');
  }
}

async function launch(
  port: number,
  folder: string,
  args: readonly string[],
): Promise<ServerProcess> {
  const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const quick = ['--appendonly', 'no', '--repl-diskless-sync-delay', '0'];
  const server = await ServerProcess.start({
    folder,
    program: findProgram('redis-server'),
    args: [...own, ...quick, ...args],
    end: 'KILL',
  });
  try {
    for (const end = Date.now() + 15_000; !(await answers(port)); await delay(10)) {
      if (!server.alive) throw new Error(`redis-server ended at once, with ${args.join(' ')}`);
      if (Date.now() > end) throw new Error(`redis-server does not answer on port ${port}`);
    }
  } catch (error) {
    await server.kill();
    throw error;
  }
  return server;
}

/** Starts a real redis-server or valkey-server that no other test uses. */
export function startRedis(options?: RedisOptions): Promise<RedisServer> {
  return RedisServer.start(options);
}

/** Starts a replica; resolves when it is in sync with its master. */
export async function startReplica(of: RedisServer): Promise<RedisServer> {
  const replica = await startRedis({ args: ['--replicaof', '127.0.0.1', `${of.port}`] });
  for (const end = Date.now() + 15_000; ; await delay(10)) {
    const info = String(await ask(replica.port, 'INFO', 'replication'));
    if (info.includes('master_link_status:up')) return replica;
    if (Date.now() > end) throw new Error(`the replica does not reach its master: ${info}`);
  }
}

/** Returns the server that `REDIS_URL` names, or else starts one. For tests that only need a connection. */
export async function useRedis(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { REDIS_URL: url } = process.env;
  return url ? { url, stop: async () => {} } : startRedis();
}
