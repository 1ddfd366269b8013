import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const preload = new URL('report-port.mjs', import.meta.url).href;
const flags = ['--conditions=headgate-source', '--import=tsx', `--import=${preload}`];

/** An example, run as people run it, but on a port that is free. */
export class Program {
  /** What it has printed. */
  output = '';
  readonly child: ChildProcess;
  /** Resolves to the exit code. */
  readonly exited: Promise<number | null>;
  /** Resolves when it listens. */
  readonly #url: Promise<string>;

  constructor(
    private readonly path: string,
    private readonly env: Readonly<Record<string, string>> = {},
  ) {
    this.child = spawn(process.execPath, [...flags, path], {
      env: { ...process.env, ...env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.exited = once(this.child, 'close').then(([code]) => code);
    this.#url = once(this.child, 'message').then(([port]) => `http://localhost:${port}`);
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
  }

  /** The same once more, as a process of its own. */
  another(): Program {
    return new Program(this.path, this.env);
  }

  /** Resolves when it has printed this. */
  async prints(text: RegExp): Promise<void> {
    while (!text.test(this.output)) {
      await new Promise((resolve) => this.child.stdout?.once('data', resolve));
    }
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch((await this.#url) + path, { signal: AbortSignal.timeout(10_000), ...init });
  }

  /** The same request several times at once. */
  fetchAll(count: number, path: string, init?: RequestInit): Promise<Response[]> {
    return Promise.all(Array.from({ length: count }, () => this.fetch(path, init)));
  }

  /** Asks until the answer is as it should be. */
  async until(path: string, isRight: (answer: Record<string, unknown>) => boolean): Promise<void> {
    for (;;) {
      const answer = await this.fetch(path);
      if (isRight((await answer.json()) as Record<string, unknown>)) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }
}

/** How often each status came: `{ 200: 4, 503: 1 }`. */
export function statuses(answers: Response[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
