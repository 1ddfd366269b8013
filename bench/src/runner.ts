import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { milliseconds } from './timing.ts';

/** What one sample found, by name: nanoseconds, milliseconds, bytes. */
export type Figures = Record<string, number>;

/** Takes one sample. */
export type Sampler = () => Figures | Promise<Figures>;

/** Gets warm, in a process of its own, and returns what then takes samples. */
export type Measurement = () => Sampler | Promise<Sampler>;

export interface Plan {
  /** How often everything starts anew in fresh processes. */
  generations: number;
  /** Samples that each process takes, in turn with all the others. */
  samples: number;
}

/** The samples of each measurement, or why there are none. */
export type Results = Map<string, Figures[] | Error>;

/** How V8 swaps the code of a loop that is under way (OSR) differs from process to process, and servers have none. */
const flags = ['--expose-gc', '--max-old-space-size=8192', '--no-use-osr'];
const worker = fileURLToPath(new URL('./worker.js', import.meta.url));
const patience = 30_000;
const slow = 1_000;

/**
 * A process for every measurement, so that nothing is polluted by another's shapes or garbage. All of them are
 * kept, and take their samples in turn: what slows the machine down for a while then slows all of them down.
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

/** What failed once is not tried again. */
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

  /** Each generation has one sample at least of what is very slow, and no more. */
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
      const timer = setTimeout(() => fail(`not in ${patience / 1000} s`), patience);
      this.#child.once('message', (figures) => done(() => resolve(figures as Figures)));
      this.#child.once('exit', (code) => fail(`exit ${code}`));
      this.#child.once('error', (error) => fail(error.message));
    });
  }
}

/** One figure of every sample; empty where the measurement failed. */
export function figures(results: Results, name: string, figure: string): number[] {
  const all = results.get(name);
  if (!Array.isArray(all)) return [];
  return all.flatMap((sample) => sample[figure] ?? []);
}

/** Why a measurement has no figures, if so. */
export function failure(results: Results, name: string): string | undefined {
  const all = results.get(name);
  return all instanceof Error ? all.message : undefined;
}

export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
