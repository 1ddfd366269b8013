import { arriveEvenly } from '../arrivals.ts';
import { Asking, patiently } from '../asking.ts';
import type { Scenario } from '../scenario.ts';
import { Simulation } from '../simulation.ts';

const requests = 1000;
const perSecond = 30_000;
const capacity = 100;
const serviceTime = 150;

/** Milliseconds of the first backoff, and how often a client tries again. */
const backoff = 250;
const retries = 4;

/** How often two servers must answer, where they turn away what is beyond their capacity and clients try again. */
function answers(limit: number): number {
  const simulation = new Simulation();
  const { random } = simulation;
  const busy = [{ count: 0 }, { count: 0 }];
  const limiters = busy.map(() => simulation.limiter({ limit, ...patiently }));
  let answered = 0;

  function call(node: number, attempt: number): void {
    limiters[node]?.request(
      new Asking((permit) => {
        const server = busy[node] as { count: number };
        const turnedAway = server.count >= capacity;
        if (!turnedAway) server.count++;
        const again = () => call((node + 1) % 2, attempt + 1);
        const done = () => {
          answered++;
          if (!turnedAway) server.count--;
          permit.release();
          if (!turnedAway || attempt >= retries) return;
          simulation.setTimeout(again, random() * backoff * 2 ** attempt);
        };
        if (turnedAway) done();
        else simulation.setTimeout(done, serviceTime);
      }),
    );
  }

  arriveEvenly(simulation, perSecond, requests, (index) => call(index % 2, 0));
  simulation.run(600_000);
  return answered;
}

export const oneBigSpike: Scenario = {
  name: 'A spike of 1,000 requests on two servers that turn away what is beyond 100: how often they must answer',
  source: "Palantir's Dialogue, one_big_spike",
  run: () => [
    {
      what: 'unlimited',
      published: '3388',
      measured: answers(Number.MAX_SAFE_INTEGER),
      // How long their clients back off is not told.
      expected: [2000, 4500],
    },
    {
      what: 'a limit of 100 each, and a line',
      published: '1000',
      measured: answers(100),
      expected: [1000, 1000],
    },
  ],
};
