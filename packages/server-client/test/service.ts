import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundleService, freePort } from '@headgate/test-servers';
import { afterAll } from 'vitest';

export type FullCounts = Readonly<Record<string, number>>;

/** The service in its own process, which is killed with this one. */
export class Service {
  readonly port: number;
  readonly #folder: string;
  #child!: ChildProcess;

  static async start(semaphores: FullCounts): Promise<Service> {
    const folder = await mkdtemp(join(tmpdir(), 'headgate-server-client-'));
    const service = new Service(folder, await freePort());
    await service.#write(semaphores);
    await service.launch();
    // The service loads its metrics library on the first scrape, which takes longer than a call's timeout on a busy
    // machine.
    await (await fetch(`${service.url}/metrics`)).text();
    return service;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Replaces the semaphores. */
  async configure(semaphores: FullCounts): Promise<void> {
    await this.#write(semaphores);
    this.#child.kill('SIGHUP');
    const names = Object.keys(semaphores);
    const name = encodeURIComponent(names.at(-1) ?? '');
    const isKnown = async () => (await fetch(`${this.url}/remainder?semaphore=${name}`)).ok;
    while (!(await isKnown())) await sleep(5);
  }

  /** Restarts it without its state. With SIGTERM it may shut down gracefully. */
  async restart(signal?: 'SIGTERM'): Promise<void> {
    await this.kill(signal);
    await this.launch();
  }

  async launch(): Promise<void> {
    const args = [await bundleService(), '--port', `${this.port}`, '-c', this.#file];
    this.#child = spawn(process.execPath, args, { stdio: 'ignore' });
    const end = () => void this.#child.kill('SIGKILL');
    process.once('exit', end);
    this.#child.once('exit', () => process.off('exit', end));
    while (!(await fetch(`${this.url}/health`).catch(() => undefined))?.ok) {
      if (this.#child.exitCode !== null)
        throw new Error(`the service has exited: ${args.join(' ')}`);
      await sleep(10);
    }
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
  }

  /** Stops answering while keeping its connections, until `thaw`. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #write(semaphores: FullCounts): Promise<void> {
    const lines = Object.entries(semaphores).map(([name, max]) => `${quoted(name)} = ${max}`);
    await writeFile(this.#file, ['[semaphores]', ...lines, ''].join('\n'));
  }

  get #file(): string {
    return join(this.#folder, 'throttle.toml');
  }
}

/** Starts a service for the tests of one file. */
export async function useService(semaphores: FullCounts): Promise<Service> {
  const service = await Service.start(semaphores);
  afterAll(() => service.stop());
  return service;
}

/** Quotes a TOML key: as JSON does, except for one character. */
function quoted(name: string): string {
  return JSON.stringify(name).replaceAll('\x7f', '\\u007f');
}
