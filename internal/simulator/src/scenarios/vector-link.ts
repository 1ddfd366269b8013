import { fibonacciBackoff } from '../backoff.ts';
import { CallbackWaiter, unbounded } from '../callback-waiter.ts';
import { Client, type Send } from '../client.ts';
import { vector } from '../models/vector.ts';
import type { Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';

const requests = 500;
const time = 100;

/** What the server does with requests beyond its capacity: drop them silently, or reject them later. */
type Excess = 'drop' | 'defer';

/**
 * The mean number of requests served at once, until all are done. The client notices after a second that a request was
 * dropped. It retries a second later, then after two, three and five seconds.
 */
function meanServed(capacity: number, excess: Excess = 'drop'): number {
  const simulation = new Simulation();
  const limiter = simulation.limiter({ limit: vector, ...unbounded });
  let serving = 0;
  const send: Send = (answer) => {
    if (serving < capacity) {
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
    // For the limit, a call includes all its attempts.
    new CallbackWaiter((permit) =>
      sender.call(() => {
        permit.release();
        left--;
      }),
    ).requestFrom(limiter);
  }
  while (left > 0) simulation.runUntil(simulation.now() + 1);
  return (requests * time) / simulation.now();
}

export const scenario: Scenario = {
  id: 'vector-link',
  name: '500 requests over a link of 100 ms: the mean number served at once',
  source: 'Vector, the tests of its adaptive concurrency, with its algorithm as a custom limit',
  run: () => ({
    figures: [
      {
        what: 'nothing is dropped',
        published: '15–16',
        measured: meanServed(Infinity),
        expected: [15, 16],
      },
      {
        what: 'requests beyond 5 are dropped',
        published: '3–4',
        measured: meanServed(5),
        expected: [3, 4],
      },
      {
        what: 'requests beyond 5 are rejected',
        published: '2.2–5',
        measured: meanServed(5, 'defer'),
        expected: [2.2, 5],
      },
    ],
  }),
};
