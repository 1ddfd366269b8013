import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuTime } from '../distributed/cpu-time.ts';

const command = fileURLToPath(new URL('main.js', import.meta.resolve('@headgate/server')));
export const bareRoute = fileURLToPath(new URL('./bare-route.js', import.meta.url));

/** A server in its own process, on a free port. */
export class Service {
  readonly #agent = new Agent({ keepAlive: true });

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    /** Milliseconds from the process's start to its first answer. */
    readonly startUp: number,
  ) {}

  /** Starts the command with these semaphores. */
  static async start(semaphores: Record<string, number>): Promise<Service> {
    const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'));
    const lines = Object.entries(semaphores).map(([name, max]) => `${name} = ${max}\n`);
    const file = join(folder, 'throttle.toml');
    writeFileSync(file, `[semaphores]\n${lines.join('')}`);
    const service = await Service.run(command, (port) => ['-c', file, '--port', `${port}`]);
    rmSync(folder, { recursive: true });
    return service;
  }

  static async run(module: string, args: (port: number) => string[]): Promise<Service> {
    const port = await freePort();
    const started = performance.now();
    const stdio = ['ignore', 'inherit', 'inherit'] as const;
    const child = spawn(process.execPath, [module, ...args(port)], { stdio: [...stdio] });
    while (child.exitCode === null) {
      const status = await statusOf(port);
      if (status !== undefined) return new Service(child, port, performance.now() - started);
      // Leaves the processor to the starting server.
      await sleep(5);
    }
    throw new Error(`${module} has exited`);
  }

  /** The processor time so far, in milliseconds. */
  get cpu(): number {
    return cpuTime(this.child.pid as number);
  }

  /** The resident set size in bytes, from Linux's procfs. */
  get rss(): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024;
  }

  async ask(method: string, path: string, body?: string): Promise<string> {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = request({ agent: this.#agent, port: this.port, method, path, headers });
    sent.end(body);
    const [response] = await once(sent, 'response');
    return `${response.statusCode} ${await text(response)}`;
  }

  async newPeer(): Promise<string> {
    return (await this.ask('POST', '/new_peer', '{"expires_in":"1h"}')).slice(4);
  }

  async stop(): Promise<void> {
    this.child.kill();
    await once(this.child, 'exit');
    this.#agent.destroy();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function statusOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request({ port, path: '/health', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', () => resolve(undefined));
    sent.end();
  });
}
