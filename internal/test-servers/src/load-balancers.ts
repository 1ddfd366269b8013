import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServerProcess } from './process.ts';
import { findProgram } from './programs.ts';

export interface LoadBalancer {
  stop(): Promise<void>;
}

/** Starts a real nginx with the contents of its `http` block, which listens on `port`. */
export function startNginx(http: string, port: number): Promise<LoadBalancer> {
  // Root's nginx would otherwise run its workers as a user that may not open the sockets of the app.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const configuration = `
    ${user} daemon off; pid nginx.pid; worker_processes 2; error_log error.log;
    events { worker_connections 512; }
    http { access_log off; ${paths.map((name) => `${name}_temp_path ${name};`).join(' ')}
    ${http} }`;
  const args = (folder: string) => ['-p', folder, '-c', 'configuration', '-e', 'error.log'];
  // The workers of a master that is killed keep running.
  return start('nginx', configuration, args, 'INT', port);
}

/** Starts a real HAProxy, which listens on `port`. */
export function startHaproxy(configuration: string, port: number): Promise<LoadBalancer> {
  return start('haproxy', `${configuration}\n`, () => ['-db', '-f', 'configuration'], 'KILL', port);
}

async function start(
  name: 'nginx' | 'haproxy',
  configuration: string,
  args: (folder: string) => string[],
  end: 'INT' | 'KILL',
  port: number,
): Promise<LoadBalancer> {
  const folder = await mkdtemp(join(tmpdir(), `headgate-${name}-`));
  await writeFile(join(folder, 'configuration'), configuration);
  const program = findProgram(name);
  const process = await ServerProcess.start({ folder, program, args: args(folder), end });
  const stop = async () => {
    await process.kill();
    await rm(folder, { recursive: true, force: true });
  };
  for (const limit = Date.now() + 10_000; !(await listens(port)); await delay(20)) {
    if (process.alive && Date.now() < limit) continue;
    await stop();
    throw new Error(`${name} does not run`);
  }
  return { stop };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
