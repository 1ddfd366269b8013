import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { childrenOf } from './children.ts';
import { ownFolder } from './folder.ts';
import { identity } from './identity.ts';
import { freePort } from './ports.ts';
import { ServerProcess } from './process.ts';
import { findProgram } from './programs.ts';

export interface PostgresOptions {
  /** Whether commits wait for the disk, as in production. Default: false. */
  readonly fsync?: boolean;
  /** Settings as in postgresql.conf: `{ idle_session_timeout: '1s' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A PostgreSQL server on 127.0.0.1 with a data folder of its own. It ends when this process ends. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: PostgresOptions;
  #process: ServerProcess;

  static async start(options: PostgresOptions = {}): Promise<PostgresServer> {
    const folder = await ownFolder('headgate-postgres-');
    try {
      await initialize(folder);
      for (let attempt = 1; ; attempt++) {
        const port = await freePort();
        const process = await launch(port, folder, options).catch((error: Error) => error);
        if (process instanceof ServerProcess)
          return new PostgresServer(port, folder, options, process);
        // Another test may have taken the port first.
        if (attempt === 3) throw process;
      }
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(
    port: number,
    folder: string,
    options: PostgresOptions,
    process: ServerProcess,
  ) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
    this.#process = process;
  }

  get url(): string {
    return urlOf(this.port);
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Stops the server and removes its files. */
  async stop(): Promise<void> {
    await this.crash();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Shuts the server down in mode `immediate`, so that the next start is a recovery. */
  async crash(): Promise<void> {
    if (this.#process.alive) this.thaw();
    await this.#process.kill();
  }

  /** Shuts the server down in mode `fast`: it notifies clients, and keeps all data. */
  async shutDown(): Promise<void> {
    await this.#process.kill('INT');
  }

  /** Starts the server again with the same port and data. A running server is shut down first, in mode `fast`. */
  async restart(): Promise<void> {
    await this.shutDown();
    this.#process = await launch(this.port, this.#folder, this.#options);
  }

  /** Stops the server's responses until `thaw`; its connections stay open. */
  freeze(): void {
    this.#process.signal('SIGSTOP');
    this.#signalAll('SIGSTOP');
  }

  thaw(): void {
    this.#signalAll('SIGCONT');
    this.#process.signal('SIGCONT');
  }

  #signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of childrenOf(this.pid)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

function urlOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** Copies a template, which takes a tenth of the time of initdb. */
async function initialize(folder: string): Promise<void> {
  const { template = '' } = findProgram('postgres');
  await promisify(execFile)('cp', ['-R', template, join(folder, 'data')], identity);
}

async function launch(
  port: number,
  folder: string,
  { fsync = false, settings = {} }: PostgresOptions,
): Promise<ServerProcess> {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    fsync: fsync ? 'on' : 'off',
    full_page_writes: fsync ? 'on' : 'off',
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = await ServerProcess.start({
    ...{ folder, program: findProgram('postgres'), identity, end: 'QUIT' },
    args: ['-D', join(folder, 'data'), '-p', `${port}`, ...args],
  });
  try {
    for (const end = Date.now() + 20_000; !(await answers(port)); await delay(10)) {
      if (!server.alive) throw new Error(`postgres ended at once, with ${args.join(' ')}`);
      if (Date.now() > end) throw new Error(`postgres does not answer on port ${port}`);
    }
  } catch (error) {
    await server.kill();
    throw error;
  }
  return server;
}

/** Whether the server at this port accepts connections. */
async function answers(port: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf(port), connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

/** Starts a real PostgreSQL that no other test uses. */
export function startPostgres(options?: PostgresOptions): Promise<PostgresServer> {
  return PostgresServer.start(options);
}
