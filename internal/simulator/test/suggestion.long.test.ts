import type { Suggestion } from '@headgate/core';
import { expect, test } from 'vitest';
import { arrive, type Rate } from '../src/arrivals.ts';
import { CallbackWaiter } from '../src/callback-waiter.ts';
import { lognormal } from '../src/distributions.ts';
import { randomFrom } from '../src/random.ts';
import { Simulation } from '../src/simulation.ts';

/** A handler that first waits for something of unlimited capacity, and then for a pool, such as connections or the CPU. */
interface Workload {
  readonly pool: number;
  /** Milliseconds in the pool. */
  readonly held: number;
  /** Milliseconds outside of it. */
  readonly outside: number;
  readonly spread: number;
}

const capacityOf = ({ pool, held, spread }: Workload) =>
  (1000 * pool) / (held * Math.exp(spread ** 2 / 2));

function workload(seed: number): Workload {
  const random = randomFrom(seed);
  const between = (from: number, to: number) => from + (to - from) * random();
  const isCpu = random() < 0.4;
  return {
    pool: isCpu ? 1 : Math.round(between(3, 16)),
    held: isCpu ? between(8, 25) : between(50, 150),
    outside: random() < 0.5 ? 0 : between(10, 150),
    spread: between(0.2, 0.8),
  };
}

/** Requests of a workload behind a limiter, whose duration contains the wait for the pool. */
class PoolServer {
  readonly simulation: Simulation;
  readonly limiter;
  readonly durations: number[] = [];
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(
    readonly workload: Workload,
    limit: number,
    seed: number,
  ) {
    this.simulation = new Simulation(seed);
    this.limiter = this.simulation.limiter({ limit, queueLimit: 100, queueTimeout: 500 });
    this.#free = workload.pool;
  }

  load(rate: Rate, seconds: number): void {
    arrive(this.simulation, rate, () => this.#request());
    this.simulation.runUntil(1000 * seconds);
  }

  #request(): void {
    const { simulation, workload, limiter } = this;
    const { held, outside, spread } = workload;
    const waiter = new CallbackWaiter(
      (permit) => {
        const granted = simulation.now();
        const end = () => {
          this.durations.push(simulation.now() - granted);
          permit.release();
        };
        const inPool = lognormal(held, spread)(simulation.random);
        simulation.setTimeout(() => this.#pool(inPool, end), outside);
      },
      () => {},
    );
    waiter.requestFrom(limiter);
  }

  #pool(time: number, end: () => void): void {
    if (this.#free === 0) return void this.#waiting.push(() => this.#pool(time, end));
    this.#free--;
    this.simulation.setTimeout(() => {
      this.#free++;
      this.#waiting.shift()?.();
      end();
    }, time);
  }
}

/** What shadow mode measures in 200 seconds, with the wrong limit of 100. Between the peaks, the load is light. */
function measured(workload: Workload, seed: number, peak: number) {
  const server = new PoolServer(workload, 100, seed);
  server.limiter.shadow();
  const capacity = capacityOf(workload);
  const isPeak = (seconds: number) => seconds % 100 >= 60 && seconds % 100 < 80;
  server.load((now) => capacity * (isPeak(now / 1000) ? peak : 0.4), 200);
  return server.limiter.stats().suggestion?.measured as NonNullable<Suggestion['measured']>;
}

/** The lowest and the highest of the limits that serve the most under an overload, without slowing requests down. */
function bestLimits(workload: Workload): [number, number] {
  const { held, outside, spread } = workload;
  const alone = outside + held * Math.exp(spread ** 2 / 2);
  const all = [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64].map((limit) => {
    const server = new PoolServer(workload, limit, 1);
    server.load(2 * capacityOf(workload), 8);
    return { limit, fast: server.durations.filter((duration) => duration < 3 * alone).length };
  });
  const most = Math.max(...all.map(({ fast }) => fast));
  const best = all.filter(({ fast }) => fast >= 0.95 * most).map(({ limit }) => limit);
  return [Math.min(...best), Math.max(...best)];
}

const workloads = Array.from({ length: 10 }, (_, index) => workload(index + 1));
const best = workloads.map(bestLimits);
// Longer on a busy machine.
const patience = { timeout: 120_000 };

test(
  'shadow mode of an overloaded server with four connections suggests about four',
  patience,
  () => {
    const { limit, isSaturated } = measured({ pool: 4, held: 100, outside: 0, spread: 0.5 }, 1, 3);
    expect(isSaturated).toBe(true);
    expect(limit).toBeGreaterThanOrEqual(3);
    expect(limit).toBeLessThanOrEqual(8);
  },
);

test(
  'the suggestion for an overloaded server is within 1.5 × of the best limit in nine of ten random workloads',
  patience,
  () => {
    const results = workloads.map((each, index) => {
      const [lowest, highest] = best[index] as [number, number];
      const { limit, isSaturated } = measured(each, index, 2);
      const isRight = isSaturated && limit >= lowest / 1.5 && limit <= 1.5 * highest;
      return { isRight, isSaturated, lowest, highest, limit };
    });
    const wrong = results.filter(({ isRight }) => !isRight);
    expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(1);
  },
);

test('the suggestion for a server without an overload is a lower bound', patience, () => {
  const results = workloads.map((each, index) => {
    const { limit, isSaturated } = measured(each, index, 0.6);
    return { isSaturated, isBound: limit <= 1.5 * (best[index]?.[1] ?? 0) };
  });
  expect(results).toEqual(workloads.map(() => ({ isSaturated: false, isBound: true })));
});
