import { burst } from '../arrivals.ts';
import { exponentialBackoff } from '../backoff.ts';
import { exponential } from '../distributions.ts';
import { type Load, type LoadResult, overload } from '../overload.ts';
import { RetryBudget } from '../retry-budget.ts';
import type { Scenario } from '../scenario.ts';
import { meanBetween } from '../watch.ts';

const usual = 70;
const spike = { from: 20, to: 25, perSecond: 300 };

const client = { timeout: 1000, retries: 3, backoff: exponentialBackoff(200) };

const load: Load = {
  // Ten calls at once, 100 ms each, are 100 calls per second.
  capacity: 10,
  work: { serviceTime: exponential(100) },
  rate: burst(usual, spike),
  client,
  seconds: 120,
};

/** Clients with a budget of one retry per ten calls. */
const withBudget = (): Load => ({ ...load, client: { ...client, budget: new RetryBudget(0.1) } });

const unlimited = { limit: Number.MAX_SAFE_INTEGER };
const limited = { limit: 10, queueLimit: 50 };

export const scenario: Scenario = {
  id: 'metastable',
  name: 'A metastable failure: seconds from the end of the spike until 63 calls a second are answered in time',
  run() {
    const results = {
      'no limit': overload(load, unlimited),
      'no limit, clients with a retry budget': overload(withBudget(), unlimited),
      'limit 10, queue of 50': overload(load, limited),
    };
    const lines = (read: (result: LoadResult) => LoadResult['answered']) =>
      Object.fromEntries(Object.entries(results).map(([name, result]) => [name, read(result)]));
    const figures = Object.entries(results).map(([name, result]) => ({
      what: name,
      measured: recovery(result),
      expected: expected[name as keyof typeof results],
    }));
    return {
      figures,
      plot: {
        title: 'A metastable failure',
        subtitle:
          'The server can do 100 a second. Clients call 70 times a second, give up after 1 s and retry three times.',
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

/** The rate of answers from which the server counts as recovered: nine tenths of the calls per second. */
const recovered = 0.9 * usual;

/** Seconds from the end of the spike until the answers have this rate for five seconds. Infinity if they never do. */
function recovery({ answered }: LoadResult): number {
  for (let second = spike.to; second + 5 <= load.seconds; second++) {
    if (meanBetween(answered, second, second + 5) >= recovered) return second - spike.to;
  }
  return Infinity;
}
