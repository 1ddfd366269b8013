import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Setting } from './contenders/contender.ts';
import type { Response } from './protocol.ts';
import type { Tasks } from './tasks.ts';

const program = fileURLToPath(new URL('./worker.js', import.meta.url));

type Argument<T extends keyof Tasks> = Parameters<Tasks[T]>[0];
type Result<T extends keyof Tasks> = Promise<Awaited<ReturnType<Tasks[T]>>>;

interface Asker {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** One process that shares a limit, seen from outside. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #askers = new Map<number, Asker>();
  readonly #contender: string;
  #asked = 0;

  private constructor({ contender, ...setting }: Setting) {
    this.#contender = contender;
    const env = { ...process.env, NODE_ENV: 'production' };
    const text = JSON.stringify({ contender, ...setting });
    // Node's own flags go on to it: with `--cpu-prof` it writes a profile of itself, too.
    this.#child = fork(program, [text], { env, serialization: 'advanced' });
    this.#child.on('message', (response) => this.#settle(response as Response));
    this.#child.on('exit', (code) => this.#fail(`ended with ${code}`));
    this.#child.on('error', ({ message }) => this.#fail(message));
  }

  static async start(setting: Setting): Promise<WorkerProcess> {
    const worker = new WorkerProcess(setting);
    await worker.#answerTo(0);
    return worker;
  }

  ask<T extends keyof Tasks>(task: T, argument?: Argument<T>): Result<T> {
    const id = ++this.#asked;
    this.#child.send({ id, task, argument });
    return this.#answerTo(id) as Result<T>;
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Lets it end by itself, so that a profile of it is written. */
  async stop(): Promise<void> {
    if (!this.#child.connected) return;
    const ended = once(this.#child, 'exit');
    this.#child.disconnect();
    await ended;
  }

  #answerTo(id: number): Promise<unknown> {
    return new Promise((resolve, reject) => this.#askers.set(id, { resolve, reject }));
  }

  #settle({ id, result, error }: Response): void {
    const asker = this.#askers.get(id);
    this.#askers.delete(id);
    if (error === undefined) asker?.resolve(result);
    else asker?.reject(new Error(`${this.#contender}: ${error}`));
  }

  #fail(why: string): void {
    for (const { reject } of this.#askers.values()) reject(new Error(`${this.#contender} ${why}`));
    this.#askers.clear();
  }
}
