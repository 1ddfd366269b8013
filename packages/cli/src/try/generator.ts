import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../output.ts';
import type { Tasks } from './generator-process.ts';

type Answer<K extends keyof Tasks> = Awaited<ReturnType<Tasks[K]>>;

/** The answers of the URLs, one of each. */
export type Probes = Answer<'probe'>;
export type ClosedLoad = Answer<'closed'>;

/** The load generator, in a process of its own. It ends the app if this process dies, even of SIGKILL. */
export class Generator {
  readonly #child: ChildProcess;
  /** Rejects when the process ends. */
  readonly #ended: Promise<never>;

  /** @param mark That of the app's processes. */
  constructor(mark: string, execArgv: readonly string[]) {
    const program = import.meta.url.replace(/generator(\.[jt]s)$/, 'generator-process$1');
    const env = { ...process.env, NODE_OPTIONS: '' };
    // In a process group of its own, so that a signal to the group of this process does not end it.
    const options = { env, serialization: 'advanced', detached: true } as const;
    this.#child = fork(fileURLToPath(program), [mark], { ...options, execArgv: [...execArgv] });
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => {
      throw new CommandError(`the load generator has ended (${signal ?? code})`, 1);
    });
    // Its end is an error only while it has a task.
    this.#ended.catch(() => {});
  }

  /** Runs one task; not while another one runs. */
  async do<K extends keyof Tasks>(
    task: K,
    ...[argument]: Parameters<Tasks[K]>
  ): Promise<Answer<K>> {
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
