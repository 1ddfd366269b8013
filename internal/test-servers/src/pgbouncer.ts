import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ownFile, ownFolder } from './folder.ts';
import { identity } from './identity.ts';
import { freePort } from './ports.ts';
import { ServerProcess } from './process.ts';
import { findProgram } from './programs.ts';

export interface PgBouncer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  /** When a server connection is assigned to another client. */
  readonly mode: 'session' | 'transaction' | 'statement';
}

/** A real PgBouncer in front of a PostgreSQL server. */
export async function startPgBouncer(
  server: { readonly port: number },
  { mode }: PgBouncerOptions,
): Promise<PgBouncer> {
  const folder = await ownFolder('headgate-pgbouncer-');
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  await ownFile(
    file,
    `[databases]
* = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  );
  const process = await ServerProcess.start({
    ...{ folder, program: findProgram('pgbouncer'), identity, end: 'KILL' },
    args: [file],
  });
  const stop = async () => {
    await process.kill();
    await rm(folder, { recursive: true, force: true });
  };
  for (const end = Date.now() + 15_000; !(await listens(port)); await delay(10)) {
    if (process.alive && Date.now() < end) continue;
    await stop();
    throw new Error('pgbouncer does not run');
  }
  return { port, url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).once('error', () => resolve(false));
  });
}
