import { exponential } from '../../distributions.ts';
import { type Arrival, poisson } from '../arrivals.ts';
import { atMost, type Case } from '../goal.ts';
import { limited } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { nameOf, pairs, rate, TIMEOUT_MS } from '../settings.ts';
import type { Trial } from '../trial.ts';

const server = { limit: 10, mean: 10, timeout: TIMEOUT_MS };

/** Milliseconds. */
const outages = [5000, 30_000, 120_000];

const loads = [0.5, 0.8, 0.95];

const BEFORE_MS = 20_000;

/** The period after the outage in which requests are counted. */
const AFTER_MS = 10_000;

export const row: Row = {
  id: 'outage',
  name: 'After an outage',
  description:
    'All permits are held for 5, 30 and 120 s. The load is 0.5, 0.8 and 0.95 times the capacity. In the 10 s after that, the limit must not\n' +
    'reject as `full` what the plain queue serves.',
  measure: (trial) => ({
    goals: [
      atMost(
        'rejected as `full`, but served by the plain queue',
        0.5,
        '%',
        pairs(outages, loads).map(([outage, load]) => caseOf(trial, outage, load)),
      ),
    ],
  }),
};

function caseOf(trial: Trial, outage: number, load: number): Case {
  const start = BEFORE_MS * trial.part;
  const end = start + outage * trial.part;
  const usual = poisson({
    perSecond: rate(server, load),
    duration: exponential(server.mean),
    until: end + AFTER_MS,
    seed: 7,
  });
  const first = usual.findIndex(({ at }) => at >= start);
  const hangs = (index: number) => index >= first && index < first + server.limit;
  const arrivals = usual.map(
    (arrival, i): Arrival => (hangs(i) ? { ...arrival, duration: end - arrival.at } : arrival),
  );
  const served = servedByPlainQueue(arrivals, server);
  const requests = limited(trial, arrivals, { limit: server.limit }).filter(
    ({ planned }) => planned.at >= end,
  );
  const wrong = requests.filter(
    ({ planned, rejection }) => rejection?.reason === 'full' && served.has(planned),
  );
  const setting = nameOf(server, 'exponential', `${load} × after ${outage / 1000} s`);
  return { setting, value: (100 * wrong.length) / requests.length };
}
