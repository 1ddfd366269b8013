import { randomUUID } from 'node:crypto';
import type { Phase } from '../load/index.ts';
import { App, PROBE_TIMEOUT } from './app.ts';
import { checkAnswers, checkHook, checkOwnLimit } from './checks.ts';
import type { Pass } from './figures.ts';
import { type ClosedLoad, Generator, type Probes } from './generator.ts';
import { callsOf, type TryOptions } from './options.ts';
import { FEW_CLIENTS, type Plan, planFor } from './plan.ts';
import { loadOfMachine, ShowsNothing } from './verdict.ts';

/** What tests replace. */
export interface Internals {
  /** The durations of a pass in milliseconds. */
  readonly times?: Times;
  /** The options of Node that load the hook. */
  readonly hook?: string;
  /** The options of Node for the load generator. */
  readonly execArgv?: readonly string[];
}

type Times = typeof usualTimes;
const usualTimes = {
  warmUp: 1_000,
  capacity: 2_000,
  before: 1_500,
  spike: 4_000,
  afterwards: 2_500,
  /** In which the app must answer. */
  maxStart: 60_000,
};

/** At half of the capacity after the spike, this many milliseconds do not count: what the spike has begun may end. */
const RECOVERY = 1_000;
const CALM = 0.5;
/** Without these, a rate is too inaccurate. */
const MIN_ANSWERS = 16;

/** Passes over one server, one after the other. */
export class Passes {
  readonly #options: TryOptions;
  readonly #show: (text: string) => void;
  readonly #times: Times;
  readonly #hook: string;
  readonly #mark = randomUUID();
  readonly #generator: Generator;
  #plan: Plan | undefined;
  #app: App | undefined;

  constructor(options: TryOptions, show: (text: string) => void, internals: Internals) {
    this.#options = options;
    this.#show = show;
    this.#times = internals.times ?? usualTimes;
    this.#hook = internals.hook ?? `--import ${import.meta.resolve('@headgate/node/register')}`;
    this.#generator = new Generator(this.#mark, internals.execArgv ?? process.execArgv);
  }

  /** Defined after a pass. */
  get plan(): Plan {
    return this.#plan as Plan;
  }

  /** Ends the app, should it run, and the generator. */
  async end(): Promise<void> {
    await this.#app?.stop();
    this.#generator.close();
  }

  /** Starts the server, measures it and ends it. */
  async run(isHooked: boolean, round: number): Promise<Pass> {
    const { urls, weights, command } = this.#options;
    await this.#generator.do('target', { calls: callsOf(this.#options), weights });
    if (command.length === 0)
      return this.#measure(isHooked, round, await this.#generator.do('probe', PROBE_TIMEOUT));
    const { maxStart } = this.#times;
    const env = isHooked ? this.#hookEnv : {};
    const start = { url: urls[0] as URL, command, mark: this.#mark, env, maxStart };
    const app = await App.start(start, this.#generator);
    this.#app = app;
    const probes = await app.answers(this.#generator, this.#show);
    const pass = await this.#measure(isHooked, round, probes);
    await app.stop();
    return pass;
  }

  get #hookEnv() {
    const { configuration } = this.#options;
    const NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} ${this.#hook}`.trim();
    return { NODE_OPTIONS, ...(configuration === undefined ? {} : { HEADGATE: configuration }) };
  }

  async #measure(isHooked: boolean, round: number, probes: Probes): Promise<Pass> {
    const { warmUp, capacity } = this.#times;
    checkAnswers(this.#options.urls, probes);
    this.#show('warming up');
    const first = await this.#closed(FEW_CLIENTS, warmUp);
    if (this.#app !== undefined) checkHook(this.#app.isHooked, isHooked);
    if (!isHooked) checkOwnLimit(first.outcomes);
    this.#plan ??= await planFor((clients) => this.#closed(clients, warmUp));
    this.#show('measuring the capacity');
    const { rate, outcomes } = await this.#closed(this.#plan.clients, capacity);
    if (!isHooked) checkOwnLimit(outcomes);
    if (rate === 0) throw new ShowsNothing('too few requests were answered to measure by');
    const phases = phasesOf(this.#times, this.#plan, rate);
    this.#show('sending the spike');
    const load = { phases, seed: round, timeout: this.#plan.timeout };
    const { attempts, isComplete } = await this.#generator.do('open', load);
    if (!isComplete)
      throw new ShowsNothing(
        `the load generator could not keep up: a request would have been sent more than 1.5 s after its time. ${loadOfMachine()}, or choose a more expensive page`,
      );
    await this.#app?.checkRuns('in the spike');
    return { isHooked, capacity: rate, phases, attempts };
  }

  async #closed(clients: number, duration: number): Promise<ClosedLoad> {
    const load = { clients, duration, minAnswers: MIN_ANSWERS };
    const closed = await this.#generator.do('closed', load);
    await this.#app?.checkRuns('under load');
    return closed;
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
