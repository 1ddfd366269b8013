import type { LimitFactory, LocalLimiter } from '@headgate/core';
import { CallbackWaiter } from '../callback-waiter.ts';
import { Dependency } from '../dependency.ts';
import { type Distribution, lognormal } from '../distributions.ts';
import { Simulation } from '../simulation.ts';
import { failureOf, type Outage, randomOutage, schedule } from './outage.ts';

/** Callers in some processes that always have work for a dependency, which fails for a while. */
export interface Scene {
  readonly processes: number;
  /** The number of calls that the dependency handles at once without slowing down. */
  readonly capacity: number;
  /** Mean duration of a call in milliseconds. */
  readonly time: number;
  readonly spread: number;
  readonly callers: number;
  readonly outage: Outage;
  readonly seed: number;
}

/** The used fraction of the capacity, or of the callers if they are fewer. */
export interface Use {
  readonly before: number;
  /** For five seconds, from a number of seconds after the end of the outage. */
  readonly after: number;
}

/** Whether at least this part is used of what was used before the outage. */
export function recovers({ before, after }: Use, part = 0.95): boolean {
  return after >= part * before;
}

/** When the outage begins, in milliseconds. */
const FROM = 15_000;

/** Milliseconds for which the use is measured. */
const MEASURED_MS = 5000;

/** Milliseconds for which a caller waits after a failure or a rejection. */
const PAUSE_MS = 50;

/** Maximum number of calls per second, so that a thousand scenes take a minute. */
const MAX_RATE = 400;

export function randomScene(random: () => number): Scene {
  const processes = [1, 4, 40][Math.floor(random() * 3)] as number;
  const time = 5 * 40 ** random();
  const capacity = Math.max(2, Math.floor(Math.min(60, (MAX_RATE * time) / 1000) * random()));
  const callers = Math.ceil(capacity * (1.2 + 3 * random()));
  const outage = randomOutage(random, FROM);
  const seed = 1 + Math.floor(random() * 1e6);
  return { processes, capacity, time, spread: random(), callers, outage, seed };
}

/** @param seconds How long after the end of the outage the use is measured. */
export function useOf(scene: Scene, limit: LimitFactory, seconds: number): Use {
  const { processes, capacity, callers, outage, seed } = scene;
  const simulation = new Simulation(seed);
  const dependency = new Dependency(simulation, capacity);
  schedule(outage, simulation, dependency, capacity);
  const limiters = Array.from({ length: processes }, () =>
    simulation.limiter({ limit, queueLimit: 1000, queueTimeout: 2000 }),
  );
  for (let index = 0; index < callers; index++) {
    const limiter = limiters[index % processes] as LocalLimiter;
    new Caller(simulation, dependency, limiter, scene).start();
  }
  const use = (from: number) => {
    simulation.runUntil(from);
    let sum = 0;
    for (let at = from; at < from + MEASURED_MS; at += 10) {
      simulation.runUntil(at);
      sum += Math.min(1, dependency.jobs / Math.min(capacity, callers));
    }
    return sum / (MEASURED_MS / 10);
  };
  return { before: use(FROM - MEASURED_MS), after: use(outage.to + 1000 * seconds) };
}

class Caller {
  readonly #serviceTime: Distribution;

  constructor(
    private readonly simulation: Simulation,
    private readonly dependency: Dependency,
    private readonly limiter: LocalLimiter,
    private readonly scene: Scene,
  ) {
    const { time, spread } = scene;
    this.#serviceTime = lognormal(time / Math.exp(spread ** 2 / 2), spread);
  }

  start(): void {
    const { simulation, dependency, scene } = this;
    const { random } = simulation;
    const pause = () => simulation.setTimeout(() => this.start(), PAUSE_MS * (0.5 + random()));
    const waiter = new CallbackWaiter((permit) => {
      const failure = failureOf(scene.outage, simulation.now(), scene.time, random);
      if (failure === undefined) {
        dependency.serve(this.#serviceTime(random), () => {
          permit.release();
          this.start();
        });
        return;
      }
      simulation.setTimeout(() => {
        permit.release(failure.outcome);
        pause();
      }, failure.after);
    }, pause);
    waiter.requestFrom(this.limiter);
  }
}
