import { afterAll, afterEach } from 'vitest';
import type { Instance } from './instance.ts';
import { Limited } from './limited.ts';
import { WorkerProcess } from './worker-process.ts';

/** The processes of a file's tests: those that survive one serve the next. */
export class Crew<I extends Instance, A extends readonly unknown[]> {
  readonly #program: URL;
  readonly #settings: (...args: A) => object;
  readonly #spare: WorkerProcess[] = [];
  readonly #limited: Limited<I>[] = [];

  /**
   * @param program What each of them runs, which calls `serve`.
   * @param settings What that is told, of what a test says.
   */
  constructor(program: URL, settings: (...args: A) => object) {
    this.#program = program;
    this.#settings = settings;
  }

  /** One process each, which share a limit. */
  start(count: number, ...args: A): Promise<Limited<I>[]> {
    const settings = this.#settings(...args);
    return Promise.all(Array.from({ length: count }, () => this.#start(settings)));
  }

  async #start(settings: object): Promise<Limited<I>> {
    const worker = this.#spare.pop() ?? (await WorkerProcess.start(this.#program));
    let at = 0;
    const limited = new Limited<I>(worker, () => at);
    this.#limited.push(limited);
    at = await worker.make(settings, (happening) => limited.happened(happening));
    return limited;
  }

  /** @throws Error if a process exited by itself or printed to stderr. */
  async rest(): Promise<void> {
    const limited = this.#limited.splice(0);
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

/** For the tests of one file. */
export function useCrew<I extends Instance, A extends readonly unknown[]>(
  program: URL,
  settings: (...args: A) => object,
): Crew<I, A> {
  const crew = new Crew<I, A>(program, settings);
  afterEach(() => crew.rest());
  afterAll(() => crew.stop());
  return crew;
}
