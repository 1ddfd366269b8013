import { fair } from '@headgate/core';
import { flooded } from '../flood.ts';
import { atLeast, type Case } from '../goal.ts';
import { limited } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { nameOf, TIMEOUT_MS, triples } from '../settings.ts';
import type { Trial } from '../trial.ts';

const SECONDS = 240;

const servers = [
  { limit: 10, mean: 100 },
  { limit: 4, mean: 500 },
  { limit: 4, mean: 1000 },
  { limit: 2, mean: 1500 },
];

const kinds = ['constant', 'exponential'] as const;

/** What the small tenant requests of the capacity. */
const uses = [0.05, 0.2];

export const row: Row = {
  id: 'fair',
  name: 'A tenant next to a flood, `fair()`',
  description:
    'A tenant requests 5 and 20 % of the capacity, another one 2.7 times the capacity. The first must be served as by a queue that always\n' +
    'serves it first.',
  measure: (trial) => ({
    goals: [1000, 20, 5].map((queueLimit) =>
      atLeast(
        `served, of what that queue serves, \`queueLimit: ${queueLimit}\``,
        97,
        '%',
        casesOf(trial, queueLimit),
      ),
    ),
  }),
};

function casesOf(trial: Trial, queueLimit: number): Case[] {
  return triples(servers, kinds, uses).map(([server, kind, use]) => {
    const { limit } = server;
    const { small, all } = flooded(trial, {
      ...{ server, kind, use, seconds: SECONDS, durations: 1200 },
      traits: (fairBy) => ({ fairBy }),
    });
    const requests = limited(trial, all, { limit, queueLimit, order: fair() });
    const answered = requests.filter((each) => each.isAnswered && each.fairBy === 'small').length;
    const served = servedByPlainQueue(all, {
      limit,
      timeout: TIMEOUT_MS,
      classOf: ({ fairBy }) => (fairBy === 'small' ? 0 : 1),
    });
    const most = small.filter((arrival) => served.has(arrival)).length;
    const setting = nameOf(server, kind, `${100 * use} % of the capacity`);
    return { setting, value: (100 * answered) / most };
  });
}
