import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Attempt, Call, Closed, Outcome, Phase } from '../load/index.ts';
import { CommandError } from '../output.ts';

/** What is requested. */
export interface Target {
  /** A request of each URL. */
  readonly calls: readonly Call[];
  /** How often each is requested, relative to the others. */
  readonly weights: readonly number[];
}

/** A task of the load generator; the tasks of the program are in `generator-process.ts`. */
export interface Tasks {
  target(target: Target): void;
  /** Sends one request of each URL; resolves to the answers. */
  probe(timeout: number): Probe[];
  closed(load: { clients: number; duration: number; minAnswers: number }): ClosedLoad;
  open(load: { phases: readonly Phase[]; seed: number; timeout: number }): OpenLoad;
  /** The process of the app, which the generator ends if `try` dies. */
  guard(leader: number): void;
}

export interface Probe {
  readonly outcome: Outcome;
  readonly status: number;
  readonly location?: string;
}

export interface ClosedLoad extends Closed {
  /** Milliseconds of the generator's CPU for a request. */
  readonly cost: number;
}

interface OpenLoad {
  readonly attempts: Attempt[];
  /** Whether all requests were sent: not if one would have been more than 1.5 s late. */
  readonly isComplete: boolean;
}

/** The load generator, in a process of its own. It ends the app if this process dies, even of SIGKILL. */
export class Generator {
  readonly #child: ChildProcess;
  /** Rejects when the process has ended. */
  readonly #ended: Promise<never>;

  /** @param execArgv The options of Node. */
  constructor(mark: string, execArgv: readonly string[]) {
    const program = import.meta.url.replace(/generator(\.[jt]s)$/, 'generator-process$1');
    const env = { ...process.env, NODE_OPTIONS: '' };
    // In a process group of its own, so that a signal to the group of this process does not end it.
    const options = { env, serialization: 'advanced', detached: true } as const;
    this.#child = fork(fileURLToPath(program), [mark], { ...options, execArgv: [...execArgv] });
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => {
      throw new CommandError(`try: the load generator has ended (${signal ?? code})`, 1);
    });
    // Its end is an error only while it has a task.
    this.#ended.catch(() => {});
  }

  /** Runs one task; not while another one runs. */
  async do<K extends keyof Tasks>(
    task: K,
    ...[argument]: Parameters<Tasks[K]>
  ): Promise<ReturnType<Tasks[K]>> {
    const answer = once(this.#child, 'message');
    // An error means that it has ended.
    this.#child.send({ task, argument }, () => {});
    const [{ value }] = await Promise.race([answer, this.#ended]);
    return value;
  }

  /** Lets the generator end what is left of the app, then itself. */
  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
