import { burst } from '../arrivals.ts';
import { exponentialBackoff } from '../backoff.ts';
import { type Course, type Load, overload } from '../overload.ts';
import { exponential } from '../random-times.ts';
import { RetryBudget } from '../retry-budget.ts';
import type { Scenario } from '../scenario.ts';
import { meanBetween } from '../watch.ts';

const usual = 70;
const spike = { from: 20, to: 25, perSecond: 300 };

const habits = { timeout: 1000, retries: 3, backoff: exponentialBackoff(200) };

const load: Load = {
  // Ten at once, 100 ms each: 100 a second.
  capacity: 10,
  work: { times: exponential(100) },
  rate: burst(usual, spike),
  habits,
  seconds: 120,
};

/** A tenth of the calls may be tried again. */
const sparing = (): Load => ({ ...load, habits: { ...habits, budget: new RetryBudget(0.1) } });

const unlimited = { limit: Number.MAX_SAFE_INTEGER };
const limited = { limit: 10, queueLimit: 50 };

export const scenario: Scenario = {
  id: 'metastable',
  name: 'A failure that outlives its cause: seconds from the end of the spike until 63 calls a second are answered in time',
  run() {
    const courses = {
      'no limit': overload(load, unlimited),
      'no limit, clients with a retry budget': overload(sparing(), unlimited),
      'limit 10, queue of 50': overload(load, limited),
    };
    const lines = (read: (course: Course) => Course['answered']) =>
      Object.fromEntries(Object.entries(courses).map(([name, course]) => [name, read(course)]));
    const figures = Object.entries(courses).map(([name, course]) => ({
      what: name,
      measured: recovery(course),
      expected: expected[name as keyof typeof courses],
    }));
    return {
      figures,
      plot: {
        title: 'A failure that outlives its cause',
        subtitle:
          'The server can do 100 a second. Clients call 70 times a second, give up after 1 s, and try again three times.',
        phases: [{ ...spike, label: '300 calls/s' }],
        panels: [
          { title: 'answered in time, per second', lines: lines(({ answered }) => answered) },
          { title: 'requests, with retries, per second', lines: lines(({ requests }) => requests) },
          { title: 'in flight', logarithmic: true, lines: lines(({ inflight }) => inflight) },
        ],
      },
    };
  },
};

const expected = {
  'no limit': [Infinity, Infinity],
  'no limit, clients with a retry budget': [30, 80],
  'limit 10, queue of 50': [0, 5],
} as const;

/** How many answers count as a recovery: nine of ten of the calls. */
const enough = 0.9 * usual;

/** Seconds after the spike until there are enough answers for five seconds; Infinity where there never are. */
function recovery({ answered }: Course): number {
  for (let second = spike.to; second + 5 <= load.seconds; second++) {
    if (meanBetween(answered, second, second + 5) >= enough) return second - spike.to;
  }
  return Infinity;
}
