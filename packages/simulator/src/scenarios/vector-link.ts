import { Asking, patiently } from '../asking.ts';
import { fibonacciBackoff } from '../backoff.ts';
import { Client, type Send } from '../client.ts';
import { vector } from '../models/vector.ts';
import type { Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';

const requests = 500;
const time = 100;

/** What the far end does with a request beyond as many as it bears: nothing, or it says no after a while. */
type Excess = 'drop' | 'defer';

/**
 * Mean of how many the far end serves until it has served all. The sender notices after a second what has vanished, and
 * tries again a second later, then two, three, five.
 */
function meanServed(most: number, excess: Excess = 'drop'): number {
  const simulation = new Simulation();
  const limiter = simulation.limiter({ limit: vector, ...patiently });
  let serving = 0;
  const send: Send = (answer) => {
    if (serving < most) {
      serving++;
      simulation.setTimeout(() => {
        serving--;
        answer({ succeeded: true });
      }, time);
    } else if (excess === 'defer') {
      simulation.setTimeout(() => answer({ succeeded: false }), time);
    }
    return () => {};
  };
  const sender = new Client(simulation, send, {
    timeout: 1000,
    retries: Infinity,
    backoff: fibonacciBackoff(1000, 30_000),
  });
  let left = requests;
  for (let index = 0; index < requests; index++) {
    // The limit sees a call with all its attempts.
    new Asking((permit) =>
      sender.call(() => {
        permit.release();
        left--;
      }),
    ).at(limiter);
  }
  while (left > 0) simulation.run(simulation.now() + 1);
  return (requests * time) / simulation.now();
}

export const scenario: Scenario = {
  id: 'vector-link',
  name: '500 requests over a link that takes 100 ms: mean concurrency',
  source:
    "Vector, the tests of its adaptive concurrency; with its algorithm as a limit of one's own",
  run: () => ({
    figures: [
      {
        what: 'nothing is dropped',
        published: '15–16',
        measured: meanServed(Infinity),
        expected: [15, 16],
      },
      {
        what: 'beyond 5 requests vanish',
        published: '3–4',
        measured: meanServed(5),
        expected: [3, 4],
      },
      {
        what: 'beyond 5 they are rejected',
        published: '2.2–5',
        measured: meanServed(5, 'defer'),
        expected: [2.2, 5],
      },
    ],
  }),
};
