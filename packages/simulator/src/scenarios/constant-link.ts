import { Asking, patiently } from '../asking.ts';
import type { Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';
import { vector } from './vector.ts';

const requests = 500;
const time = 100;

/** Whatever waits is sent as soon as the limit allows. */
function meanInflight(): number {
  const simulation = new Simulation();
  const limiter = simulation.limiter({ limit: vector, ...patiently });
  let left = requests;
  const send = () =>
    new Asking((permit) => {
      simulation.setTimeout(() => {
        permit.release();
        left--;
      }, time);
    }).at(limiter);
  for (let index = 0; index < requests; index++) send();
  while (left > 0) simulation.run(simulation.now() + 1);
  return (requests * time) / simulation.now();
}

export const constantLink: Scenario = {
  name: '500 requests over a link that takes 100 ms: the mean in flight',
  source:
    "Vector, the tests of its adaptive concurrency; with its algorithm as a limit of one's own",
  run: () => [
    {
      what: 'nothing is dropped',
      published: '15–16',
      measured: meanInflight(),
      expected: [15, 17],
    },
  ],
};
