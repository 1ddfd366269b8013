import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, afterEach, aroundEach, beforeAll } from 'vitest';
import { RemoteLimiter } from './remote-limiter.ts';
import type { WorkerLimiter } from './worker-limiter.ts';
import { WorkerProcess } from './worker-process.ts';

/**
 * The worker processes for the tests of a file. The tests may run concurrently. If a process is alive after a test,
 * another test reuses it.
 */
export class Workers<I extends WorkerLimiter, A extends readonly unknown[]> {
  readonly #program: URL;
  readonly #settings: (...args: A) => object;
  readonly #spare: WorkerProcess[] = [];
  /** The processes that each test has started. */
  readonly #limiters = new AsyncLocalStorage<RemoteLimiter<I>[]>();

  /**
   * @param program The program of each process, which calls `serve`.
   * @param settings Creates the settings that the process receives from the arguments of `start`.
   */
  constructor(program: URL, settings: (...args: A) => object) {
    this.#program = program;
    this.#settings = settings;
  }

  /** Starts processes in advance, so that tests which run concurrently need not wait for their start. */
  async stock(count: number): Promise<void> {
    const starts = Array.from({ length: count }, () => WorkerProcess.start(this.#program));
    this.#spare.push(...(await Promise.all(starts)));
  }

  /** Runs a test, which may start processes. */
  during(test: () => Promise<void>): Promise<void> {
    return this.#limiters.run([], test);
  }

  /** Starts `count` processes that share a limit. */
  start(count: number, ...args: A): Promise<RemoteLimiter<I>[]> {
    const settings = this.#settings(...args);
    return Promise.all(Array.from({ length: count }, () => this.#start(settings)));
  }

  async #start(settings: object): Promise<RemoteLimiter<I>> {
    const ofTest = this.#limiters.getStore();
    if (ofTest === undefined) throw new Error('processes can be started only within a test');
    const worker = this.#spare.pop() ?? (await WorkerProcess.start(this.#program));
    let limiterId = 0;
    const limiter = new RemoteLimiter<I>(worker, () => limiterId);
    ofTest.push(limiter);
    limiterId = await worker.make(settings, (event) => limiter.record(event));
    return limiter;
  }

  /**
   * Ends the limiters that the current test has started.
   *
   * @throws Error if a process exited by itself or printed to stderr.
   */
  async rest(): Promise<void> {
    const limiters = this.#limiters.getStore()?.splice(0) ?? [];
    await Promise.all(limiters.map((one) => this.#end(one)));
    const troubles = limiters.flatMap(({ worker }) => worker.takeTrouble() ?? []);
    if (troubles.length > 0) throw new Error(troubles.join('\n'));
  }

  async #end(limiter: RemoteLimiter<I>): Promise<void> {
    const { worker } = limiter;
    worker.thaw();
    if (!worker.isGone) await limiter.end();
    if (!worker.isGone) this.#spare.push(worker);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#spare.splice(0).map((worker) => worker.kill()));
  }
}

/**
 * Sets up the workers for the tests of one file. Starts `stock` processes before the first test: as many as run
 * concurrently.
 */
export function useWorkers<I extends WorkerLimiter, A extends readonly unknown[]>(
  program: URL,
  settings: (...args: A) => object,
  stock = 0,
): Workers<I, A> {
  const workers = new Workers<I, A>(program, settings);
  beforeAll(() => workers.stock(stock));
  aroundEach((test) => workers.during(test));
  afterEach(() => workers.rest());
  afterAll(() => workers.stop());
  return workers;
}
