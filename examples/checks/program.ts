import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const preload = new URL('report-port.mjs', import.meta.url).href;
const flags = ['--conditions=headgate-source', '--import=tsx', `--import=${preload}`];

/** Runs an example as a user would, but on a free port. */
export class Program {
  /** Its output so far. */
  output = '';
  errors = '';
  readonly child: ChildProcess;
  /** Resolves to the exit code. */
  readonly exited: Promise<number | null>;
  /** Resolves to its URL once it listens. */
  readonly url: Promise<string>;

  constructor(
    private readonly path: string,
    private readonly env: Readonly<Record<string, string>> = {},
    /** With `pipe`, what it writes to stderr is in `errors`. */
    private readonly stderr: 'inherit' | 'pipe' = 'inherit',
  ) {
    this.child = spawn(process.execPath, [...flags, path], {
      env: { ...process.env, ...env, PORT: '0' },
      stdio: ['ignore', 'pipe', stderr, 'ipc'],
    });
    this.exited = once(this.child, 'close').then(([code]) => code);
    this.url = once(this.child, 'message').then(([port]) => `http://localhost:${port}`);
    this.child.stdout?.setEncoding('utf8').on('data', (text) => {
      this.output += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.errors += text;
    });
  }

  /** Starts the same example in another process. */
  another(): Program {
    return new Program(this.path, this.env, this.stderr);
  }

  /** Resolves when the output contains `text`. */
  async prints(text: RegExp): Promise<void> {
    while (!text.test(this.output)) {
      await new Promise((resolve) => this.child.stdout?.once('data', resolve));
    }
  }

  async fetch(path: string, init?: RequestInit): Promise<Response> {
    return fetch((await this.url) + path, { signal: AbortSignal.timeout(10_000), ...init });
  }

  /** Sends the same request several times at once. */
  fetchAll(count: number, path: string, init?: RequestInit): Promise<Response[]> {
    return Promise.all(Array.from({ length: count }, () => this.fetch(path, init)));
  }

  /** Polls until the JSON answer satisfies `isRight`. */
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

/** Counts the answers by status: `{ 200: 4, 503: 1 }`. */
export function statuses(answers: Response[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
