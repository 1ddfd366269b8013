import { arriveEvenly } from '../arrivals.ts';
import { Asking, patiently } from '../asking.ts';
import type { Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';

const requests = 10_000;
const perSecond = 500;

/** Beyond the knee it becomes slower in proportion, beyond the threshold it fails. */
class Node {
  #busy = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly best: number,
  ) {}

  serve(done: (succeeded: boolean) => void): void {
    const busy = ++this.#busy;
    const time = this.best * Math.max(1, busy / 30);
    this.simulation.setTimeout(() => {
      this.#busy--;
      done(busy <= 40);
    }, time);
  }
}

/** What part succeeds, in per cent. */
function succeeded(limit: number): number {
  const simulation = new Simulation();
  let successes = 0;
  const ways = [600, 800, 1000].map((best) => {
    const node = new Node(simulation, best);
    const limiter = simulation.limiter({ limit, ...patiently });
    return () =>
      new Asking((permit) =>
        node.serve((success) => {
          if (success) successes++;
          permit.release();
        }),
      ).at(limiter);
  });
  arriveEvenly(simulation, perSecond, requests, (index) => ways[index % ways.length]?.());
  simulation.run(3_600_000);
  return (100 * successes) / requests;
}

export const slowdownAndErrors: Scenario = {
  name: 'Three servers that slow down beyond 30 at once and fail beyond 40: per cent of 10,000 that succeed',
  source: "Palantir's Dialogue, slowdown_and_error_thresholds",
  run: () => [
    {
      what: 'unlimited',
      published: '3.6',
      measured: succeeded(Number.MAX_SAFE_INTEGER),
      expected: [1, 8],
    },
    {
      what: 'a limit of 30 each, and a line',
      published: '100',
      measured: succeeded(30),
      expected: [100, 100],
    },
  ],
};
