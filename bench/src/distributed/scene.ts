import type { Setting } from './contender.ts';
import type { Tasks } from './tasks.ts';
import { WorkerProcess } from './worker-process.ts';

/** Overrides of the default settings. */
export interface WorkerOptions extends Partial<Setting> {
  contender: string;
}

/** The default settings. */
const defaults = { limit: 10, lease: 10_000 };

/** Processes that start at once: with more, a store's first call would take longer than its timeout. */
const maxStarting = 8;

/** A server, and the processes that share limits on it. */
export abstract class Scene<T extends Tasks = Tasks> {
  readonly #program: URL;
  readonly #workers: WorkerProcess<T>[] = [];

  /** @param program The program of the processes. */
  protected constructor(program: URL) {
    this.#program = program;
  }

  /** Starts `count` processes that share a limit. */
  abstract workers(count: number, options: WorkerOptions): Promise<WorkerProcess<T>[]>;

  /** Stops all processes and deletes their limits. */
  async clear(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.stop()));
    await this.forget();
  }

  /** Stops the processes and the server. */
  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.kill()));
    await this.stop();
  }

  protected abstract forget(): Promise<unknown>;
  protected abstract stop(): Promise<unknown>;

  protected async start(
    count: number,
    port: number,
    options: WorkerOptions,
  ): Promise<WorkerProcess<T>[]> {
    const setting = { name: options.contender, ...defaults, ...options, port };
    const workers: WorkerProcess<T>[] = [];
    while (workers.length < count) {
      const next = Math.min(maxStarting, count - workers.length);
      const started = Array.from({ length: next }, () => this.#worker(setting));
      workers.push(...(await Promise.all(started)));
    }
    return workers;
  }

  async #worker(setting: Setting): Promise<WorkerProcess<T>> {
    const worker = await WorkerProcess.start<T>(this.#program, setting);
    this.#workers.push(worker);
    return worker;
  }
}
