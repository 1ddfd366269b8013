import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleService } from '@headgate/test-servers';
import { onTestFinished } from 'vitest';
import { Client } from '../client.ts';

const program = await bundleService();

interface Line {
  readonly level?: string;
  readonly msg?: string;
  readonly url?: string;
}

/** Runs the command in its own process and folder. */
export class Command {
  readonly folder = mkdtempSync(join(tmpdir(), 'headgate-server-'));
  readonly lines: string[] = [];
  stdout = '';
  #child: ChildProcess | undefined;
  #exit: Promise<number | string> | undefined;
  #client: Client | undefined;
  #notify = () => {};

  constructor(
    configuration?: string,
    /** Maximum number of open files and connections. */
    private readonly maxFiles?: number,
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
    /** A file that stderr is redirected to. */
    log?: string,
  ): this {
    const { THROTTLE_LOG: _, ...rest } = process.env;
    const limit = this.maxFiles === undefined ? ':' : `ulimit -n ${this.maxFiles}`;
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
        this.#notify();
      });
    this.#child = child;
    // `close` comes after all output has been read.
    this.#exit = once(child, 'close').then(([code, name]) => {
      this.#notify();
      return code ?? name;
    });
    return this;
  }

  /** The exit code, or the signal that killed the process. */
  get exit(): Promise<number | string> {
    return this.#exit as Promise<number | string>;
  }

  get stderr(): string {
    return this.lines.join('\n');
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Resolves to the first log line that contains `message`, starting at line `from`. */
  async line(message: string, from = 0): Promise<Line> {
    for (;;) {
      const found = this.log(from).find(({ msg }) => msg?.includes(message));
      if (found !== undefined) return found;
      if (this.#child?.exitCode != null) throw new Error(`The process has exited: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }

  log(from = 0): Line[] {
    const lines = this.lines.slice(from).filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Line);
  }

  /**
   * Connects a client to the address in the log.
   *
   * @param restarts How many times the process was started before.
   */
  async client(restarts = 0): Promise<Client> {
    const from = restarts === 0 ? 0 : this.lines.length;
    const { url = '' } = await this.line('Ready', from);
    const place = url.startsWith('/') ? { socketPath: url } : { port: Number(new URL(url).port) };
    this.#client = new Client(place);
    return this.#client;
  }

  /** Connects to a fixed port, polling until the server answers, because it logs nothing. */
  async clientOn(port: number): Promise<Client> {
    this.#client = new Client({ port });
    for (;;) {
      const answer = await this.#client.said('GET', '/health').catch(() => '');
      if (answer === '200 Ok') return this.#client;
      if (this.#child?.exitCode != null) throw new Error(`The process has exited: ${this.stderr}`);
    }
  }
}
