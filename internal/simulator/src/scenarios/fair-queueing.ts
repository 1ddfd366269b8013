import { fair, fifo, type LocalLimiter, type Order } from '@headgate/core';
import { CallbackWaiter, unbounded } from '../callback-waiter.ts';
import type { Figure, Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';

const second = 1000;
/** A time difference that only determines the order. */
const nanosecond = 1e-6;

/** Threads that repeat this: each makes a call and then pauses. */
interface Flow {
  readonly fairBy: string;
  readonly threads: number;
  readonly calls: number;
  /** The pause in milliseconds. */
  readonly pause: number;
}

/** For each flow: the mean fraction of the limit that it holds during the first `seconds`. */
function shares(limit: number, flows: readonly Flow[], seconds: number, order: Order): number[] {
  const simulation = new Simulation();
  const limiter = simulation.limiter({ limit, order, ...unbounded });
  const held = flows.map((flow, index) => startFlow(simulation, limiter, flow, index));
  simulation.runUntil(seconds * second);
  return held.map((level) => level.mean());
}

function startFlow(
  simulation: Simulation,
  limiter: LocalLimiter,
  flow: Flow,
  index: number,
): Level {
  const level = new Level(simulation);
  const call = (left: number) => {
    if (left === 0) return;
    const waiter = new CallbackWaiter((permit) => {
      level.change(1);
      simulation.setTimeout(() => {
        level.change(-1);
        permit.release();
      }, second);
      simulation.setTimeout(() => call(left - 1), second + flow.pause);
    });
    waiter.fairBy = flow.fairBy;
    waiter.requestFrom(limiter);
  };
  for (let thread = 0; thread < flow.threads; thread++) {
    simulation.setTimeout(() => call(flow.calls), (90 * thread + 20 * index) * nanosecond);
  }
  return level;
}

/** A value that changes over time, and its mean. */
class Level {
  #level = 0;
  #area = 0;
  #at = 0;

  constructor(private readonly simulation: Simulation) {}

  change(by: number): void {
    this.#catchUp();
    this.#level += by;
  }

  mean(): number {
    this.#catchUp();
    return this.#area / this.#at;
  }

  #catchUp(): void {
    const now = this.simulation.now();
    this.#area += this.#level * (now - this.#at);
    this.#at = now;
  }
}

const flow = (fairBy: string, threads: number, calls: number, pause: number): Flow => ({
  fairBy,
  threads,
  calls,
  pause,
});
const alike = ['a', 'b'].map((fairBy) => flow(fairBy, 8, 20, second - nanosecond));
const different = [flow('a', 8, 20, second), flow('b', 7, 30, second / 2)];
const unequal = [flow('a', 4, 20, second - nanosecond), flow('b', 2, 20, second - nanosecond)];
const lopsided = [flow('a', 24, 20, second), flow('b', 8, 20, second)];

export const scenario: Scenario = {
  id: 'fair-queueing',
  name: 'Fair queueing: mean part of the limit that each flow holds',
  source: 'Kubernetes, the tests of its fair queueing: within 1 per cent of the fair share',
  run: () => ({
    figures: [
      ...figures('limit 4, 8 threads each', [2, 2], shares(4, alike, 50, fair()), true),
      ...figures('limit 4, 8 threads and 7', [2, 2], shares(4, different, 40, fair()), true),
      ...figures('limit 3, 4 threads and 2', [2, 1], shares(3, unequal, 20, fair()), true),
      ...figures('limit 4, 24 threads and 8', [2, 2], shares(4, lopsided, 40, fair())),
      ...figures('the same with fifo()', [3, 1], shares(4, lopsided, 40, fifo())),
    ],
  }),
};

function figures(
  what: string,
  fair: readonly number[],
  measured: readonly number[],
  isPublished = false,
): Figure[] {
  return fair.map((share, index) => ({
    what,
    column: index === 0 ? 'first flow' : 'second flow',
    ...(isPublished && { published: String(share) }),
    measured: measured[index] as number,
    expected: [share * 0.99, share * 1.01],
  }));
}
