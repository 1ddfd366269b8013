import type { Call, Phase } from '../load/index.ts';
import { App, type Start } from './app.ts';
import { checkAnswers, checkHook, checkOwnLimit } from './checks.ts';
import type { Pass } from './figures.ts';
import type { ClosedLoad, Generator, Probe } from './generator.ts';
import { FEW_CLIENTS, type Plan, planFor } from './plan.ts';
import { loadOfMachine, ShowsNothing } from './verdict.ts';

/** The durations of a pass in milliseconds. */
export interface Times {
  readonly warmUp: number;
  readonly capacity: number;
  readonly before: number;
  readonly spike: number;
  readonly afterwards: number;
  /** In which the app must answer. */
  readonly maxStart: number;
}

export const usualTimes: Times = {
  warmUp: 1_000,
  capacity: 2_000,
  before: 1_500,
  spike: 4_000,
  afterwards: 2_500,
  maxStart: 60_000,
};

/** At half of the capacity after the spike, this many milliseconds do not count: what the spike has begun may end. */
const RECOVERY = 1_000;
const CALM = 0.5;
/** Without these, a rate is too inaccurate. */
const MIN_ANSWERS = 16;
const PROBE_TIMEOUT = 5_000;

/** What all passes have in common. */
export interface Setup {
  readonly generator: Generator;
  readonly times: Times;
  readonly calls: readonly Call[];
  readonly app: Omit<Start, 'env' | 'maxStart'>;
  /** Added to the environment of an app with the hook. */
  readonly hookEnv: Start['env'];
  show(text: string): void;
}

/** Passes over one server, one after the other. */
export class Passes {
  readonly #setup: Setup;
  #plan: Plan | undefined;
  #app: App | undefined;

  constructor(setup: Setup) {
    this.#setup = setup;
  }

  /** Defined after a pass. */
  get plan(): Plan {
    return this.#plan as Plan;
  }

  /** Ends the app, should it run, and the generator. */
  async end(): Promise<void> {
    await this.#app?.stop();
    this.#setup.generator.close();
  }

  /** Starts the server, measures it and ends it. */
  async run(isHooked: boolean, round: number): Promise<Pass> {
    const { generator, app: start, times, hookEnv, show } = this.#setup;
    if (start.command.length === 0) return this.#measure(isHooked, round);
    const env = isHooked ? hookEnv : {};
    const app = await App.start({ ...start, env, maxStart: times.maxStart }, generator);
    this.#app = app;
    const probes = await app.answers(generator, show);
    const pass = await this.#measure(isHooked, round, probes);
    await app.stop();
    return pass;
  }

  async #measure(isHooked: boolean, round: number, probes?: Probe[]): Promise<Pass> {
    const { generator, times, calls, show } = this.#setup;
    checkAnswers(calls, probes ?? (await generator.do('probe', PROBE_TIMEOUT)));
    show('warming up');
    const first = await this.#closed(FEW_CLIENTS, times.warmUp);
    if (this.#app !== undefined) checkHook(this.#app, isHooked);
    if (!isHooked) checkOwnLimit(first.outcomes);
    this.#plan ??= await planFor((clients) => this.#closed(clients, times.warmUp));
    show('measuring the capacity');
    const { rate, outcomes } = await this.#closed(this.#plan.clients, times.capacity);
    if (!isHooked) checkOwnLimit(outcomes);
    if (rate === 0) throw new ShowsNothing('too few requests were answered to measure by');
    const phases = phasesOf(times, this.#plan, rate);
    const attempts = await this.#spike(phases, this.#plan, round);
    await this.#app?.checkRuns('in the spike');
    return { isHooked, capacity: rate, phases, attempts };
  }

  async #closed(clients: number, duration: number): Promise<ClosedLoad> {
    const { generator } = this.#setup;
    const load = await generator.do('closed', { clients, duration, minAnswers: MIN_ANSWERS });
    await this.#app?.checkRuns('under load');
    return load;
  }

  async #spike(phases: readonly Phase[], { timeout }: Plan, seed: number) {
    const { generator, show } = this.#setup;
    show('sending the spike');
    const load = await generator.do('open', { phases, seed, timeout });
    if (!load.isComplete)
      throw new ShowsNothing(
        `the load generator could not keep up: a request would have been sent more than 1.5 s after its time. ${loadOfMachine()}, or choose a more expensive page`,
      );
    return load.attempts;
  }
}

function phasesOf(times: Times, { multiple }: Plan, capacity: number): Phase[] {
  const calm = CALM * capacity;
  return [
    { name: 'before', duration: times.before, rate: calm },
    { name: 'spike', duration: times.spike, rate: multiple * capacity },
    { name: 'recovery', duration: RECOVERY, rate: calm },
    { name: 'afterwards', duration: times.afterwards, rate: calm },
  ];
}
