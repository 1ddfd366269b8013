import { exponential } from '../../distributions.ts';
import { randomFrom } from '../../random.ts';
import { type Arrival, burst, merge, poisson, withoutFirst } from '../arrivals.ts';
import { earlyGoals, isRejectedEarly } from '../early.ts';
import { atLeast, type Case, casesFrom } from '../goal.ts';
import { limited } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { nameOf, rate, TIMEOUT_MS } from '../settings.ts';
import type { Trial } from '../trial.ts';

const server = { limit: 2, mean: 50, timeout: TIMEOUT_MS };

/** The number of requests that a key serves within the timeout. */
const SERVED = (server.limit * server.timeout) / server.mean;

/** Milliseconds from a burst to the next. Serving one takes 2 s. */
const intervals = [5000, 20_000];

const BURSTS = 6;
const KEYS = 10;

export const row: Row = {
  id: 'keys',
  name: 'Bursts of the keys of a limit',
  description:
    'Each key has a burst of 5 or 20 times what it can serve within the timeout, every 5 or 20 s, and no requests in between. From the\n' +
    'second burst on, most of what cannot be served must be rejected early. Then keys at twice their capacity whose clients leave after\n' +
    '0.5, 1.5 and 10 s.',
  measure(trial) {
    const five = intervals.map((interval) => burstsOf(trial, 5, interval));
    const twenty = intervals.map((interval) => burstsOf(trial, 20, interval));
    return {
      goals: [
        ...earlyGoals(five, twenty),
        atLeast(
          "answered, of the plain queue's answers",
          96,
          '%',
          casesFrom([...five, ...twenty], 'answered'),
        ),
        atLeast(
          'answered, of the capacity, clients that leave',
          90,
          '%',
          [500, 1500, 10_000].map((timeout) => leaversOf(trial, timeout)),
        ),
      ],
    };
  },
};

function burstsOf(trial: Trial, load: number, interval: number) {
  const duration = exponential(server.mean);
  const keys = Array.from({ length: Math.ceil(KEYS * trial.part) }, (_, key) => {
    const random = withoutFirst(randomFrom(key));
    // The keys' bursts do not coincide.
    const start = (key * interval) / KEYS;
    return Array.from({ length: BURSTS }, (_, index) =>
      burst(start + index * interval, load * SERVED, () => duration(random), { key: String(key) }),
    ).flat();
  });
  const counts = ({ at }: Arrival) => at >= interval;
  const requests = limited(trial, merge(...keys), { limit: server.limit, perKey: true }).filter(
    ({ planned }) => counts(planned),
  );
  const answered = requests.filter(({ isAnswered }) => isAnswered).length;
  const early = requests.filter(isRejectedEarly).length;
  const most = keys.flatMap((key) => [...servedByPlainQueue(key, server)].filter(counts)).length;
  return {
    setting: nameOf(server, 'exponential', `${load} × every ${interval / 1000} s`),
    early: (100 * early) / (requests.length - answered),
    answered: (100 * answered) / most,
  };
}

function leaversOf(trial: Trial, clientTimeout: number): Case {
  const from = 5000;
  const to = from + 20_000 * trial.part;
  const keys = Array.from({ length: 30 }, (_, key) =>
    poisson({
      perSecond: rate(server, 2),
      duration: exponential(server.mean),
      until: to + 2000,
      seed: key,
      traits: () => ({ clientTimeout, key: String(key) }),
    }),
  );
  const answered = limited(trial, merge(...keys), { limit: server.limit, perKey: true }).filter(
    ({ planned: { at }, isAnswered }) => isAnswered && at >= from && at < to,
  );
  const most = (keys.length * rate(server, 1) * (to - from)) / 1000;
  const setting = nameOf(server, 'exponential', `clients leave after ${clientTimeout / 1000} s`);
  return { setting, value: (100 * answered.length) / most };
}
