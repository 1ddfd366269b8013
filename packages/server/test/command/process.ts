import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { Client } from '../client.ts';
import { program } from './program.ts';

interface Line {
  readonly level?: string;
  readonly msg?: string;
  readonly url?: string;
}

/** The command as a process of its own, in a folder of its own. */
export class Command {
  readonly folder = mkdtempSync(join(tmpdir(), 'headgate-server-'));
  readonly lines: string[] = [];
  stdout = '';
  #child: ChildProcess | undefined;
  #exit: Promise<number | string> | undefined;
  #client: Client | undefined;
  #told = () => {};

  constructor(
    configuration?: string,
    /** How many files and connections it may have open. */
    private readonly mostFiles?: number,
  ) {
    if (configuration !== undefined) this.write('throttle.toml', configuration);
    onTestFinished(async () => {
      this.#client?.close();
      this.#child?.kill('SIGKILL');
      await this.#exit;
      rmSync(this.folder, { recursive: true });
    });
  }

  remove(file: string): void {
    rmSync(join(this.folder, file));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  start(
    args = ['--port', '0'],
    env: Record<string, string> = { THROTTLE_LOG: 'info' },
    /** Where stderr goes instead of here. */
    log?: string,
  ): this {
    const { THROTTLE_LOG: _, ...rest } = process.env;
    const limit = this.mostFiles === undefined ? ':' : `ulimit -n ${this.mostFiles}`;
    const inShell = ['-c', `${limit} && exec "$0" "$@"`, process.execPath, program];
    const child = spawn('sh', [...inShell, ...args], {
      cwd: this.folder,
      env: { ...rest, ...env },
      stdio: ['ignore', 'pipe', log === undefined ? 'pipe' : openSync(log, 'a')],
    });
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.stdout += text;
    });
    if (child.stderr !== null)
      createInterface({ input: child.stderr }).on('line', (line) => {
        this.lines.push(line);
        this.#told();
      });
    this.#child = child;
    // Until all has been read that it has said.
    this.#exit = once(child, 'close').then(([code, name]) => {
      this.#told();
      return code ?? name;
    });
    return this;
  }

  /** Its exit code, or the signal that ended it. */
  get exit(): Promise<number | string> {
    return this.#exit as Promise<number | string>;
  }

  get stderr(): string {
    return this.lines.join('\n');
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** The first line of the log that says so, from the one on that is given. */
  async line(message: string, from = 0): Promise<Line> {
    for (;;) {
      const found = this.log(from).find(({ msg }) => msg?.includes(message));
      if (found !== undefined) return found;
      if (this.#child?.exitCode != null) throw new Error(`It has ended: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    }
  }

  log(from = 0): Line[] {
    const lines = this.lines.slice(from).filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Line);
  }

  /** How often it has been started before. */
  async client(restarts = 0): Promise<Client> {
    const from = restarts === 0 ? 0 : this.lines.length;
    const { url = '' } = await this.line('Ready', from);
    const place = url.startsWith('/') ? { socketPath: url } : { port: Number(new URL(url).port) };
    this.#client = new Client(place);
    return this.#client;
  }

  /** On a port that it has been told: where it logs nothing, only an answer shows that it is there. */
  async clientOn(port: number): Promise<Client> {
    this.#client = new Client({ port });
    for (;;) {
      const answer = await this.#client.said('GET', '/health').catch(() => '');
      if (answer === '200 Ok') return this.#client;
      if (this.#child?.exitCode != null) throw new Error(`It has ended: ${this.stderr}`);
    }
  }
}

/** One that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
