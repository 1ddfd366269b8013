import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The figures of one sample by name: nanoseconds, milliseconds or bytes. */
export type Figures = Record<string, number>;

/** Takes one sample. */
export type Sampler = () => Figures | Promise<Figures>;

/** Warms up in its own process, and returns a function that takes samples. */
export type Measurement = () => Sampler | Promise<Sampler>;

export interface Sampling {
  /** The number of times that all processes are started afresh. */
  generations: number;
  /** Samples per process, taken in turn with all others. */
  samples: number;
}

/** The samples of each measurement, or the error if it failed. */
export type Results = Map<string, Figures[] | Error>;

/** On-stack replacement (OSR) of running loops differs from process to process, and servers do not need it. */
const flags = ['--expose-gc', '--max-old-space-size=8192', '--no-use-osr'];
const worker = fileURLToPath(new URL('./worker.js', import.meta.url));
const sampleTimeout = 30_000;
const slowSample = 1_000;

/**
 * Runs every measurement in its own process, so that it is not affected by the hidden classes or garbage of others. All
 * processes stay alive and take their samples in turn, so that a temporary slowdown of the machine affects all of them.
 */
export async function measure(
  module: string,
  names: readonly string[],
  { generations, samples }: Sampling,
): Promise<Results> {
  const results: Results = new Map(names.map((name) => [name, []]));
  for (let generation = 1; generation <= generations; generation++) {
    const processes = new Map<string, Measuring>();
    try {
      for (const name of names) {
        progress(`${module}, ${generation}/${generations}: ${name} gets warm`);
        processes.set(name, new Measuring(module, name));
        await note(results, name, async () => void (await processes.get(name)?.warm()));
      }
      for (let sample = 1; sample <= samples; sample++) {
        for (const [name, process] of processes) {
          progress(`${module}, ${generation}/${generations}: sample ${sample}/${samples}, ${name}`);
          await note(results, name, (all) => process.sample(all));
        }
      }
    } finally {
      for (const process of processes.values()) process.end();
    }
  }
  progress('');
  return results;
}

/** A measurement that has failed is not repeated. */
async function note(results: Results, name: string, step: (all: Figures[]) => Promise<void>) {
  const all = results.get(name);
  if (!Array.isArray(all)) return;
  await step(all).catch((error: Error) => results.set(name, error));
}

class Measuring {
  readonly #child: ChildProcess;
  #isSlow = false;

  constructor(module: string, name: string) {
    this.#child = fork(worker, [module, name], { execArgv: flags });
  }

  async warm(): Promise<void> {
    await this.#answer();
  }

  /** A very slow measurement takes only one sample per generation. */
  async sample(all: Figures[]): Promise<void> {
    if (this.#isSlow) return;
    const start = performance.now();
    this.#child.send('sample');
    all.push(await this.#answer());
    this.#isSlow = performance.now() - start > slowSample;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }

  #answer(): Promise<Figures> {
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer);
        this.#child.removeAllListeners();
        settle();
      };
      const fail = (why: string) => done(() => reject(new Error(why)));
      const timer = setTimeout(() => fail(`not in ${sampleTimeout / 1000} s`), sampleTimeout);
      this.#child.once('message', (figures) => done(() => resolve(figures as Figures)));
      this.#child.once('exit', (code) => fail(`exit ${code}`));
      this.#child.once('error', (error) => fail(error.message));
    });
  }
}

/** One figure of every sample; empty if the measurement failed. */
export function figures(results: Results, name: string, figure: string): number[] {
  const all = results.get(name);
  if (!Array.isArray(all)) return [];
  return all.flatMap((sample) => sample[figure] ?? []);
}

/** The error message of a failed measurement. */
export function failure(results: Results, name: string): string | undefined {
  const all = results.get(name);
  return all instanceof Error ? all.message : undefined;
}

export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
