import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bundle } from '../bundle.ts';
import type { Failure } from './failure.ts';
import type { LimiterEvent } from './worker-limiter.ts';

export interface Call {
  readonly call: number;
  readonly limiterId: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface Reply {
  readonly call?: number;
  readonly result?: unknown;
  readonly failure?: Failure;
  readonly limiterId?: number;
  readonly event?: LimiterEvent;
}

/** A process of the app, as the test sees it. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #calls = new Map<number, { done(result: unknown): void; fail(error: Error): void }>();
  readonly #listeners = new Map<number, (event: LimiterEvent) => void>();
  #serial = 0;
  #limiters = 0;
  #printed = '';
  #isKilled = false;

  /** @param program The program, which calls `serve`. */
  static async start(program: URL): Promise<WorkerProcess> {
    const worker = new WorkerProcess(await bundle(program));
    await once(worker.#child, 'message');
    return worker;
  }

  private constructor(program: string) {
    this.#child = fork(program, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk) => {
      this.#printed += chunk;
    });
    this.#child.on('message', (message) => this.#hear(message as Reply));
    this.#child.on('exit', () => {
      for (const { fail } of this.#calls.values())
        fail(new Error(`the process has ended\n${this.#printed}`));
    });
  }

  /**
   * Describes what is wrong: the process exited without being told to, or has printed something since the last call.
   * Undefined if neither is the case.
   */
  takeTrouble(): string | undefined {
    const { exitCode } = this.#child;
    const printed = this.#printed;
    this.#printed = '';
    if (!this.#isKilled && exitCode !== null)
      return `a process has ended with ${exitCode}: ${printed}`;
    return printed === '' ? undefined : `a process has printed: ${printed}`;
  }

  get isGone(): boolean {
    const { exitCode, signalCode } = this.#child;
    return exitCode !== null || signalCode !== null;
  }

  async make(settings: object, listener: (event: LimiterEvent) => void): Promise<number> {
    const limiterId = ++this.#limiters;
    this.#listeners.set(limiterId, listener);
    await this.call(limiterId, 'make', settings);
    return limiterId;
  }

  call(limiterId: number, method: string, ...args: readonly unknown[]): Promise<unknown> {
    const call = ++this.#serial;
    return new Promise((done, fail) => {
      this.#calls.set(call, { done, fail });
      if (this.isGone) fail(new Error('the process has ended'));
      else this.#child.send({ call, limiterId, method, args } satisfies Call);
    });
  }

  async kill(): Promise<void> {
    if (this.isGone) return;
    this.#isKilled = true;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  #hear({ call, result, failure, limiterId, event }: Reply): void {
    if (event !== undefined) return this.#listeners.get(limiterId as number)?.(event);
    const waiting = this.#calls.get(call as number);
    this.#calls.delete(call as number);
    if (failure === undefined) waiting?.done(result);
    else waiting?.fail(Object.assign(new Error(described(failure)), failure));
  }
}

/** The message of the error, and the messages of its causes. */
function described({ message, cause }: Failure): string {
  return cause === undefined ? message : `${message}: ${described(cause)}`;
}
