import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { milliseconds } from './timing.ts';

/** The figures of one sample, by name: nanoseconds, milliseconds, bytes. */
export type Figures = Record<string, number>;

/** Takes one sample. */
export type Sampler = () => Figures | Promise<Figures>;

/** Warms up, in a process of its own, and returns a function that takes a sample. */
export type Measurement = () => Sampler | Promise<Sampler>;

export interface Plan {
  /** Number of generations, each with fresh processes. */
  generations: number;
  /** Number of samples that each process takes, in turn with the others. */
  samples: number;
}

/** The samples of each measurement, or the error that prevented them. */
export type Results = Map<string, Figures[] | Error>;

/** On-stack replacement (OSR) of running loops differs from process to process, and servers have no such loops. */
const flags = ['--expose-gc', '--max-old-space-size=8192', '--no-use-osr'];
const worker = fileURLToPath(new URL('./worker.js', import.meta.url));
const MAX_SAMPLE_TIME = 30_000;
const slow = 1_000;

/**
 * A process for every measurement, so that none is affected by another's hidden classes or garbage. All of them stay
 * alive and take their samples in turn, so that a temporary slowdown of the machine affects all of them.
 */
export async function measure(
  module: string,
  names: readonly string[],
  { generations, samples }: Plan,
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

/** A measurement that has failed is not tried again. */
async function note(results: Results, name: string, step: (all: Figures[]) => Promise<void>) {
  const all = results.get(name);
  if (!Array.isArray(all)) return;
  await step(all).catch((error: Error) => results.set(name, error));
}

class Measuring {
  readonly #child: ChildProcess;
  #slow = false;

  constructor(module: string, name: string) {
    this.#child = fork(worker, [module, name], { execArgv: flags });
  }

  async warm(): Promise<void> {
    await this.#answer();
  }

  /** Very slow measurements take exactly one sample per generation. */
  async sample(all: Figures[]): Promise<void> {
    if (this.#slow) return;
    const start = milliseconds();
    this.#child.send('sample');
    all.push(await this.#answer());
    this.#slow = milliseconds() - start > slow;
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
      const timer = setTimeout(() => fail(`not in ${MAX_SAMPLE_TIME / 1000} s`), MAX_SAMPLE_TIME);
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

/** Why a measurement has no figures; undefined if it has. */
export function failure(results: Results, name: string): string | undefined {
  const all = results.get(name);
  return all instanceof Error ? all.message : undefined;
}

export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
