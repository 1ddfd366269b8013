import { poisson } from '../arrivals.ts';
import { atMost, type Case } from '../goal.ts';
import { limited } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { distributions, nameOf, rate, triples } from '../settings.ts';
import type { Trial } from '../trial.ts';

const COUNT = 2500;

const servers = [
  { limit: 1, mean: 100, timeout: 2000 },
  { limit: 2, mean: 100, timeout: 2000 },
  { limit: 4, mean: 200, timeout: 2000 },
  { limit: 10, mean: 100, timeout: 200 },
  { limit: 10, mean: 500, timeout: 2000 },
  { limit: 2, mean: 1500, timeout: 2000 },
  { limit: 4, mean: 2000, timeout: 2000 },
  { limit: 4, mean: 5000, timeout: 2000 },
  { limit: 20, mean: 5000, timeout: 2000 },
  { limit: 3, mean: 700, timeout: 1000 },
];

const loads = [0.5, 0.7, 0.8, 0.9];

export const row: Row = {
  id: 'below-capacity',
  name: 'Below the capacity',
  description:
    'A load of 0.5 to 0.9 times the capacity. The limit must serve what a plain FIFO queue with the same `queueTimeout` serves.',
  measure: (trial) => ({
    goals: [atMost('not served, more than by the plain queue', 1.2, 'points', casesOf(trial))],
  }),
};

function casesOf(trial: Trial): Case[] {
  return triples(servers, Object.entries(distributions), loads).map(
    ([server, [kind, distribution], load]) => {
      const { limit, mean, timeout } = server;
      const perSecond = rate(server, load);
      const until = (1000 * COUNT * trial.part) / perSecond;
      const seed = limit * 7 + mean + load * 10;
      const arrivals = poisson({ perSecond, duration: distribution(mean), until, seed });
      const requests = limited(trial, arrivals, { limit, queueTimeout: timeout });
      const answered = requests.filter(({ isAnswered }) => isAnswered).length;
      const lost = servedByPlainQueue(arrivals, server).size - answered;
      const setting = nameOf(server, kind, `load ${load}`);
      return { setting, value: (100 * lost) / arrivals.length };
    },
  );
}
