import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, afterEach, aroundEach, beforeAll } from 'vitest';
import type { Instance } from './instance.ts';
import { Limited } from './limited.ts';
import { WorkerProcess } from './worker-process.ts';

/**
 * The worker processes of a file's tests, which may run concurrently. A process that is alive after a test is reused by
 * another.
 */
export class Crew<I extends Instance, A extends readonly unknown[]> {
  readonly #program: URL;
  readonly #settings: (...args: A) => object;
  readonly #spare: WorkerProcess[] = [];
  /** The processes that each test has started. */
  readonly #limited = new AsyncLocalStorage<Limited<I>[]>();

  /**
   * @param program The program of each process, which calls `serve`.
   * @param settings Creates the settings that the process receives from the arguments of `start`.
   */
  constructor(program: URL, settings: (...args: A) => object) {
    this.#program = program;
    this.#settings = settings;
  }

  /** Starts processes in advance, so that their start does not delay tests that run concurrently. */
  async stock(count: number): Promise<void> {
    const starts = Array.from({ length: count }, () => WorkerProcess.start(this.#program));
    this.#spare.push(...(await Promise.all(starts)));
  }

  /** Runs a test, which may start processes. */
  during(test: () => Promise<void>): Promise<void> {
    return this.#limited.run([], test);
  }

  /** Starts `count` processes that share a limit. */
  start(count: number, ...args: A): Promise<Limited<I>[]> {
    const settings = this.#settings(...args);
    return Promise.all(Array.from({ length: count }, () => this.#start(settings)));
  }

  async #start(settings: object): Promise<Limited<I>> {
    const ofTest = this.#limited.getStore();
    if (ofTest === undefined) throw new Error('processes can be started only within a test');
    const worker = this.#spare.pop() ?? (await WorkerProcess.start(this.#program));
    let at = 0;
    const limited = new Limited<I>(worker, () => at);
    ofTest.push(limited);
    at = await worker.make(settings, (happening) => limited.happened(happening));
    return limited;
  }

  /**
   * Ends the limiters that the current test has started.
   *
   * @throws Error if a process exited by itself or printed to stderr.
   */
  async rest(): Promise<void> {
    const limited = this.#limited.getStore()?.splice(0) ?? [];
    await Promise.all(limited.map((one) => this.#end(one)));
    const troubles = limited.flatMap(({ worker }) => worker.takeTrouble() ?? []);
    if (troubles.length > 0) throw new Error(troubles.join('\n'));
  }

  async #end(limited: Limited<I>): Promise<void> {
    const { worker } = limited;
    worker.thaw();
    if (!worker.isGone) await limited.end();
    if (!worker.isGone) this.#spare.push(worker);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#spare.splice(0).map((worker) => worker.kill()));
  }
}

/**
 * Sets up the workers for the tests of one file. `stock` processes are started before the first test: as many as run
 * concurrently.
 */
export function useCrew<I extends Instance, A extends readonly unknown[]>(
  program: URL,
  settings: (...args: A) => object,
  stock = 0,
): Crew<I, A> {
  const crew = new Crew<I, A>(program, settings);
  beforeAll(() => crew.stock(stock));
  aroundEach((test) => crew.during(test));
  afterEach(() => crew.rest());
  afterAll(() => crew.stop());
  return crew;
}
