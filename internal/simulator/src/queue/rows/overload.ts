import { type Arrival, poisson } from '../arrivals.ts';
import { type EarlyFigures, earlyGoals, isRejectedEarly } from '../early.ts';
import { atLeast, atMost, casesFrom } from '../goal.ts';
import { limited, type SimulatedRequest } from '../limited.ts';
import { servedByPlainQueue } from '../plain-queue.ts';
import type { Row } from '../row.ts';
import { distributions, nameOf, pairs, rate, type Server } from '../settings.ts';
import type { Trial } from '../trial.ts';

/** The limiter's deadlines are whole milliseconds. */
const ROUNDING_MS = 1;

const servers = [
  { limit: 1, mean: 100, timeout: 2000 },
  { limit: 4, mean: 200, timeout: 2000 },
  { limit: 10, mean: 100, timeout: 2000 },
  { limit: 10, mean: 100, timeout: 200 },
  { limit: 2, mean: 1500, timeout: 2000 },
  { limit: 4, mean: 1000, timeout: 2000 },
];

const kinds = ['constant', 'exponential', 'bimodal'] as const;

interface Figures extends EarlyFigures {
  /** The work of the answers, as a percentage of that of the plain queue. */
  readonly answers: number;
  /** By how many milliseconds the longest wait exceeds the timeout. */
  readonly late: number;
  /** The work in the queue, in timeouts. */
  readonly queue: number;
}

export const row: Row = {
  id: 'overload',
  name: 'Overload, clients that wait',
  description:
    'A load of 1.2, 2, 5 and 20 times the capacity. The limit must finish as much work as the plain queue, and reject early most of what\n' +
    'it cannot serve, and the rest within the timeout. The work in the queue is the mean number of waiters that an arriving request\n' +
    'finds, times the mean duration, divided by the limit and the timeout.',
  measure(trial) {
    const at = (load: number) =>
      pairs(servers, kinds).map(([server, kind]) => figuresOf(trial, server, kind, load));
    const slight = [1.2, 2].flatMap(at);
    const five = at(5);
    const twenty = at(20);
    const all = [...slight, ...five, ...twenty];
    return {
      goals: [
        atLeast(
          "work finished, of the plain queue's, up to 5 ×",
          96,
          '%',
          casesFrom([...slight, ...five], 'answers'),
        ),
        ...earlyGoals(five, twenty),
        atMost('longest wait, more than the timeout', ROUNDING_MS, 'ms', casesFrom(all, 'late')),
        atMost('work in the queue', 3, 'timeouts', casesFrom(all, 'queue')),
      ],
    };
  },
};

function figuresOf(
  trial: Trial,
  server: Server & { timeout: number },
  kind: keyof typeof distributions,
  load: number,
): Figures {
  const { limit, mean, timeout } = server;
  const from = 16_000 * trial.part;
  const to = from + Math.max(30_000, (400 * mean) / limit) * trial.part;
  // Amid the load: not before the limit knows its rate, nor when no further requests arrive.
  const counts = ({ at }: Arrival) => at >= from && at < to;
  const arrivals = poisson({
    perSecond: rate(server, load),
    duration: distributions[kind](mean),
    until: to + 2 * timeout,
    seed: 5,
  });
  const queued: number[] = [];
  const requests = limited(
    trial,
    arrivals,
    { limit, queueTimeout: timeout },
    (limiter, arrival) => {
      if (counts(arrival)) queued.push(limiter.queued);
    },
  ).filter(({ planned }) => counts(planned));
  const reference = [...servedByPlainQueue(arrivals, server)].filter(counts);
  const answered = requests.filter(({ isAnswered }) => isAnswered).map(({ planned }) => planned);
  const unanswered = requests.filter(({ isAnswered }) => !isAnswered);
  const early = unanswered.filter(isRejectedEarly);
  return {
    setting: nameOf(server, kind, `${load} ×`),
    answers: (100 * workOf(answered)) / workOf(reference),
    early: (100 * early.length) / unanswered.length,
    late: Math.max(...requests.map(waitOf)) - timeout,
    queue: (sum(queued) / queued.length) * (mean / limit / timeout),
  };
}

/** How long the request waited until it was admitted or rejected. */
const waitOf = ({ planned, admittedAt, endedAt }: SimulatedRequest) =>
  (admittedAt ?? endedAt) - planned.at;

const workOf = (arrivals: readonly Arrival[]) => sum(arrivals.map(({ duration }) => duration));

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
