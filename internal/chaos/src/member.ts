import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { stamp } from './log/stamp.ts';
import type { Plan, WorkerCommand, WorkerMessage } from './worker/messages.ts';

const alive = new Set<ChildProcess>();
// Kills all workers. Stopped ones would not notice that this process has ended.
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A worker process, from the verifier's perspective. */
export class Member {
  readonly name: string;
  /** Whether it has reported that it is ready. */
  ready = false;
  /** When it was stopped. */
  #stopped: number | undefined;
  #gone = false;
  readonly #child: ChildProcess;

  constructor(
    program: string,
    plan: Plan,
    receive: (message: WorkerMessage, from: Member) => void,
  ) {
    this.name = plan.worker;
    this.#child = fork(program, [JSON.stringify(plan)], { execArgv: [] });
    alive.add(this.#child);
    this.#child.on('message', (message: WorkerMessage) => receive(message, this));
    this.#child.on('error', () => {});
  }

  /** Resolves when it has ended, with its exit status. */
  async ended(): Promise<string> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    alive.delete(child);
    this.#gone = true;
    return String(child.signalCode ?? child.exitCode);
  }

  send(command: WorkerCommand): void {
    if (this.#child.connected) this.#child.send(command, () => {});
  }

  get running(): boolean {
    return !this.#gone && this.#stopped === undefined;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  stop(): void {
    this.#stopped = stamp();
    this.#child.kill('SIGSTOP');
  }

  /** Resumes the worker, and returns when it was stopped. */
  resume(): number {
    const from = this.#stopped ?? stamp();
    this.#stopped = undefined;
    this.#child.kill('SIGCONT');
    return from;
  }
}
