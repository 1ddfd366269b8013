import { byPriority, type Priority } from '@headgate/core';
import { poisson } from '../arrivals.ts';
import { atLeast, type Case } from '../goal.ts';
import { limited } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { distributions, nameOf, pairs, rate, TIMEOUT_MS } from '../settings.ts';
import type { Trial } from '../trial.ts';

const SECONDS = 240;

const servers = [
  { limit: 10, mean: 100, queueLimit: 1000 },
  { limit: 10, mean: 100, queueLimit: 5 },
  { limit: 4, mean: 1000, queueLimit: 1000 },
  { limit: 1, mean: 200, queueLimit: 1000 },
  { limit: 2, mean: 1500, queueLimit: 1000 },
];

const kinds = ['constant', 'exponential', 'bimodal'] as const;

const ranks: Priority[] = ['critical', 'normal', 'low'];

export const row: Row = {
  id: 'priority',
  name: 'Critical requests amid others, `byPriority()`',
  description:
    'A load of three times the capacity, of which a tenth is critical. These must be served as by a priority queue without rejections on\n' +
    'arrival.',
  measure: (trial) => ({
    goals: [atLeast('critical, served, of what that queue serves', 97, '%', casesOf(trial))],
  }),
};

/** A tenth is critical, and half of the others low. */
function priorityOf(index: number): Priority {
  if (index % 10 === 0) return 'critical';
  return index % 2 === 0 ? 'low' : 'normal';
}

function casesOf(trial: Trial): Case[] {
  return pairs(servers, kinds).map(([server, kind]) => {
    const { limit, mean, queueLimit } = server;
    const arrivals = poisson({
      perSecond: rate(server, 3),
      duration: distributions[kind](mean),
      until: Math.max(1000 * SECONDS, (10_000 * mean) / limit) * trial.part,
      seed: 5,
      traits: (_, index) => ({ priority: priorityOf(index) }),
    });
    const requests = limited(trial, arrivals, { limit, queueLimit, order: byPriority() });
    const served = servedByPlainQueue(arrivals, {
      limit,
      timeout: TIMEOUT_MS,
      classOf: ({ priority = 'normal' }) => ranks.indexOf(priority),
    });
    const most = [...served].filter(({ priority }) => priority === 'critical').length;
    const answered = requests.filter(
      ({ isAnswered, priority }) => isAnswered && priority === 'critical',
    );
    const setting = nameOf(server, kind, `\`queueLimit: ${queueLimit}\``);
    return { setting, value: (100 * answered.length) / most };
  });
}
