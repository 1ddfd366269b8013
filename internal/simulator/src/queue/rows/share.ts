import { byShare } from '@headgate/core';
import { flooded } from '../flood.ts';
import { atMost, type Case } from '../goal.ts';
import { limited } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { nameOf, TIMEOUT_MS, triples } from '../settings.ts';
import type { Trial } from '../trial.ts';

const SECONDS = 300;

/** The part of the limit that the measured share has. */
const SHARE = 0.4;

const order = byShare({ small: SHARE, large: 0.5 });

const servers = [
  { limit: 10, mean: 100 },
  { limit: 10, mean: 1000 },
  { limit: 20, mean: 500 },
];

const kinds = ['constant', 'exponential'] as const;

/** What the share requests of its part. */
const uses = [0.25, 0.5, 0.75];

export const row: Row = {
  id: 'share',
  name: 'A share next to a flood',
  description:
    'A share of 0.4 requests 25, 50 and 75 % of its part, and a share of 0.5 requests 2.7 times the capacity. The first must be served as\n' +
    'by a limit of its own of that size.',
  measure: (trial) => ({
    goals: [1000, 20].map((queueLimit) =>
      atMost(
        `not served, more than by a limit of its own, \`queueLimit: ${queueLimit}\``,
        0.5,
        'points',
        casesOf(trial, queueLimit),
      ),
    ),
  }),
};

function casesOf(trial: Trial, queueLimit: number): Case[] {
  return triples(servers, kinds, uses).map(([server, kind, use]) => {
    const { limit } = server;
    const { small, all } = flooded(trial, {
      ...{ server, kind, use: use * SHARE, seconds: SECONDS, durations: 1500 },
      traits: (share) => ({ share }),
    });
    const requests = limited(trial, all, { limit, queueLimit, order });
    const answered = requests.filter((each) => each.isAnswered && each.share === 'small').length;
    const own = { limit: SHARE * limit, timeout: TIMEOUT_MS };
    const lost = servedByPlainQueue(small, own).size - answered;
    const setting = nameOf(server, kind, `${100 * use} % of its part`);
    return { setting, value: (100 * lost) / small.length };
  });
}
