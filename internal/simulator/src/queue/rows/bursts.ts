import { randomFrom } from '../../random.ts';
import { type Arrival, burst, merge, poisson, withoutFirst } from '../arrivals.ts';
import { atMost, type Case } from '../goal.ts';
import { limited } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { distributions, nameOf, pairs, rate, TIMEOUT_MS } from '../settings.ts';
import type { Trial } from '../trial.ts';

const servers = [
  { limit: 10, mean: 100, timeout: 2000, size: 60 },
  { limit: 10, mean: 100, timeout: 2000, size: 100 },
  { limit: 10, mean: 100, timeout: 2000, size: 200 },
  { limit: 4, mean: 200, timeout: 2000, size: 40 },
  { limit: 2, mean: 500, timeout: 2000, size: 9 },
  { limit: 4, mean: 1000, timeout: 2000, size: 12 },
  { limit: 10, mean: 1000, timeout: 5000, size: 50 },
];

const kinds = ['constant', 'exponential', 'bimodal'] as const;

const BURSTS = 60;
const INTERVAL_MS = 30_000;

export const row: Row = {
  id: 'bursts',
  name: 'Bursts of clients that wait',
  description:
    'Bursts every 30 s on an idle server; and bursts of 60 and 150 requests every 5 s, beginning 10 s after an overload whose clients left\n' +
    'after 500 ms. The limit must serve what the plain queue serves.',
  measure: (trial) => ({
    goals: [
      atMost('difference to the plain queue', 0.5, 'points', afterIdleTime(trial)),
      atMost('the same after the overload', 0.5, 'points', afterOverload(trial)),
    ],
  }),
};

function afterIdleTime(trial: Trial): Case[] {
  return pairs(servers, kinds).map(([server, kind]) => {
    const { limit, mean, timeout, size } = server;
    const random = withoutFirst(randomFrom(1));
    const duration = distributions[kind](mean);
    const arrivals = Array.from({ length: Math.ceil(BURSTS * trial.part) }, (_, i) =>
      burst(i * INTERVAL_MS, size, () => duration(random)),
    ).flat();
    const answered = limited(trial, arrivals, { limit, queueTimeout: timeout }).filter(
      ({ isAnswered }) => isAnswered,
    );
    const difference = servedByPlainQueue(arrivals, server).size - answered.length;
    const value = (100 * Math.abs(difference)) / arrivals.length;
    return { setting: nameOf(server, kind, `bursts of ${size}`), value };
  });
}

/** The overload lasts for 20 s, then the load is low. */
function afterOverload(trial: Trial): Case[] {
  const server = { limit: 4, mean: 40, timeout: TIMEOUT_MS };
  const duration = distributions.constant(server.mean);
  const overload = poisson({
    perSecond: rate(server, 3),
    duration,
    until: 20_000,
    seed: 3,
    traits: () => ({ clientTimeout: 500 }),
  });
  const low = poisson({
    perSecond: rate(server, 0.2),
    duration,
    from: 20_000,
    until: 60_000,
    seed: 4,
  });
  return [60, 150].map((size) => {
    const bursts = [30, 35, 40, 45, 50, 55].map((second) =>
      burst(1000 * second, size, () => server.mean),
    );
    const arrivals = merge(overload, low, ...bursts);
    const counts = ({ at }: Arrival) => at >= 30_000;
    const answered = limited(trial, arrivals, { limit: server.limit }).filter(
      ({ planned, isAnswered }) => isAnswered && counts(planned),
    );
    const served = [...servedByPlainQueue(arrivals, server)].filter(counts);
    const value =
      (100 * Math.abs(served.length - answered.length)) / arrivals.filter(counts).length;
    return { setting: nameOf(server, 'constant', `bursts of ${size}`), value };
  });
}
