import { type ChildProcess, fork } from 'node:child_process';
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

/** The counts so far. */
export type Tally = { readonly [outcome in Outcome | 'sent' | 'at']: number };

/** The load generator, in a process of its own. It ends the app if this process dies, even of SIGKILL. */
export class Generator {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (value: unknown, error?: Error) => void>();
  #lastId = 0;
  onTally: (tally: Tally) => void = () => {};

  /** @param execArgv The options of Node. */
  constructor(mark: string, execArgv: readonly string[]) {
    const program = import.meta.url.replace(/generator(\.[jt]s)$/, 'generator-process$1');
    const env = { ...process.env, NODE_OPTIONS: '' };
    // In a process group of its own, so that a signal to the group of this process does not end it.
    const options = { env, serialization: 'advanced', detached: true } as const;
    this.#child = fork(fileURLToPath(program), [mark], { ...options, execArgv: [...execArgv] });
    this.#child.on('message', (message: { id?: number; value?: unknown; tally?: Tally }) => {
      if (message.tally !== undefined) this.onTally(message.tally);
      else this.#waiting.get(message.id ?? 0)?.(message.value);
    });
    this.#child.once('exit', (code, signal) => {
      const error = new CommandError(`try: the load generator has ended (${signal ?? code})`, 1);
      for (const settle of this.#waiting.values()) settle(undefined, error);
    });
  }

  do<K extends keyof Tasks>(task: K, ...args: Parameters<Tasks[K]>): Promise<ReturnType<Tasks[K]>> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, (value, error) => {
        this.#waiting.delete(id);
        if (error === undefined) resolve(value as ReturnType<Tasks[K]>);
        else reject(error);
      });
      this.#child.send({ id, task, argument: args[0] }, (error) => {
        if (error) this.#waiting.get(id)?.(undefined, error);
      });
    });
  }

  /** Lets the generator end what is left of the app, then itself. */
  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
