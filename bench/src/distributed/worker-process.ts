import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Setting } from './contender.ts';
import type { Response } from './protocol.ts';
import type { Tasks } from './tasks.ts';

type Argument<T> = T extends (argument: infer A) => unknown ? A : never;
type Result<T> = T extends (argument: never) => infer R ? Promise<Awaited<R>> : never;

interface Asker {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A handle on a process that shares a limit. */
export class WorkerProcess<T extends Tasks = Tasks> {
  readonly #child: ChildProcess;
  readonly #askers = new Map<number, Asker>();
  readonly #contender: string;
  #asked = 0;

  private constructor(program: URL, { contender, ...setting }: Setting) {
    this.#contender = contender;
    const env = { ...process.env, NODE_ENV: 'production' };
    const text = JSON.stringify({ contender, ...setting });
    // Node's flags are inherited: with `--cpu-prof` the process writes a profile, too.
    this.#child = fork(program, [text], { env, serialization: 'advanced' });
    this.#child.on('message', (response) => this.#settle(response as Response));
    this.#child.on('exit', (code) => this.#fail(`exited with ${code}`));
    this.#child.on('error', ({ message }) => this.#fail(message));
  }

  /** @param program A program that calls `serve`. */
  static async start<T extends Tasks>(program: URL, setting: Setting): Promise<WorkerProcess<T>> {
    const worker = new WorkerProcess<T>(program, setting);
    await worker.#answerTo(0);
    return worker;
  }

  ask<K extends keyof T & string>(task: K, argument?: Argument<T[K]>): Result<T[K]> {
    const id = ++this.#asked;
    this.#child.send({ id, task, argument });
    return this.#answerTo(id) as Result<T[K]>;
  }

  /** Kills the process, like a crash. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Lets the process exit by itself, so that it writes its profile. */
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
