import { exponential } from '../../distributions.ts';
import { merge, poisson } from '../arrivals.ts';
import { atMost, type Case } from '../goal.ts';
import { limited } from '../limited.ts';
import type { Row } from '../row.ts';
import { nameOf, rate } from '../settings.ts';
import type { Trial } from '../trial.ts';

/** How long requests are counted, in milliseconds. */
const MEASURED_MS = 100_000;

const server = { limit: 4, mean: 40 };

/** Multiples of the capacity: clients that wait, and clients that leave. */
const loads = [
  { waiting: 0.7, leaving: 0.6 },
  { waiting: 1.2, leaving: 0.3 },
  { waiting: 0.7, leaving: 2 },
];

/** After how many milliseconds clients leave. */
const timeouts = [50, 150, 300, 1000, 1900];

export const row: Row = {
  id: 'early-leavers',
  name: 'Clients that leave early on purpose',
  description:
    'An attacker leaves early, so that a limit that learns how long clients wait rejects the other clients. Compared with an attacker that\n' +
    'waits.',
  measure: (trial) => ({
    goals: [atMost('answers that the other clients lose', 2, 'points', casesOf(trial))],
  }),
};

function casesOf(trial: Trial): Case[] {
  return loads.flatMap((load) => {
    const usual = answeredOf(trial, load, Infinity);
    return timeouts.map((timeout) => ({
      setting: nameOf(
        server,
        'exponential',
        `${load.waiting} × next to ${load.leaving} × that leave after ${timeout} ms`,
      ),
      value: usual - answeredOf(trial, load, timeout),
    }));
  });
}

/** The percentage of the other clients that is answered. */
function answeredOf(trial: Trial, load: (typeof loads)[number], clientTimeout: number): number {
  const measured = MEASURED_MS * trial.part;
  const from = measured / 4;
  const common = { duration: exponential(server.mean), until: from + measured + from };
  const others = poisson({
    ...common,
    perSecond: rate(server, load.waiting),
    seed: 3,
    traits: () => ({ fairBy: 'others' }),
  });
  const attacker = poisson({
    ...common,
    perSecond: rate(server, load.leaving),
    seed: 4,
    traits: () => ({ clientTimeout }),
  });
  const requests = limited(trial, merge(others, attacker), { limit: server.limit }).filter(
    ({ planned: { at, fairBy } }) => fairBy === 'others' && at >= from && at < from + measured,
  );
  return (100 * requests.filter(({ isAnswered }) => isAnswered).length) / requests.length;
}
