import { type LimiterOptions, lifo } from '@headgate/core';
import { burst } from '../arrivals.ts';
import { exponentialBackoff } from '../backoff.ts';
import { exponential } from '../distributions.ts';
import { type Load, type LoadResult, overload } from '../overload.ts';
import { plainQueue } from '../plain-queue.ts';
import { figure, type Scenario } from '../scenario.ts';
import { meanBetween } from '../watch.ts';

/** Calls per second: ten times the server's capacity. */
const spike = { from: 10, to: 20, perSecond: 1000 };

const load: Load = {
  // Ten calls at once, 100 ms each, are 100 calls per second.
  capacity: 10,
  work: { serviceTime: exponential(100) },
  rate: burst(50, spike),
  client: { timeout: 1000, retries: 3, backoff: exponentialBackoff(500) },
  seconds: 60,
};

const longQueue = { limit: 10, queueLimit: 1000 };

const variants = {
  'no limit': { limit: Number.MAX_SAFE_INTEGER },
  'a plain queue of 1,000': { ...longQueue, limit: plainQueue(10), queueTimeout: Infinity },
  'fifo(), queue of 1,000': { ...longQueue, queueTimeout: Infinity },
  'lifo(), queue of 1,000': { ...longQueue, order: lifo() },
  'fifo(), queueTimeout of 500 ms': { ...longQueue, queueTimeout: 500 },
} satisfies Record<string, LimiterOptions>;

type Variant = keyof typeof variants;

const expected = {
  'no limit': { during: [0, 60], after: [0, 10] },
  'a plain queue of 1,000': { during: [0, 30], after: [0, 15] },
  'fifo(), queue of 1,000': { during: [90, 110], after: [50, 110] },
  'lifo(), queue of 1,000': { during: [90, 110], after: [50, 110] },
  'fifo(), queueTimeout of 500 ms': { during: [90, 110], after: [50, 110] },
} satisfies Record<Variant, { during: [number, number]; after: [number, number] }>;

export const scenario: Scenario = {
  id: 'spike',
  name: 'A spike of ten times the capacity for 10 seconds: calls answered in time, per second',
  run() {
    const results = Object.entries(variants).map(
      ([name, options]) => [name as Variant, overload(load, options)] as const,
    );
    const lines = (read: (result: LoadResult) => LoadResult['answered']) =>
      Object.fromEntries(results.map(([name, result]) => [name, read(result)]));
    return {
      figures: results.flatMap(([name, { answered }]) => [
        figure(
          name,
          meanBetween(answered, spike.from, spike.to),
          expected[name].during,
          'during the spike',
        ),
        figure(
          name,
          meanBetween(answered, spike.to, load.seconds),
          expected[name].after,
          'in the 40 s after it',
        ),
      ]),
      plot: {
        title: 'A spike of ten times the capacity',
        subtitle:
          'The server can do 100 a second, 10 at once. Clients give up after 1 s and retry three times.',
        phases: [{ ...spike, label: '1,000 calls/s' }],
        panels: [
          { title: 'answered in time, per second', lines: lines(({ answered }) => answered) },
          { title: 'in flight', logarithmic: true, lines: lines(({ inflight }) => inflight) },
          { title: 'queued', logarithmic: true, lines: lines(({ queued }) => queued) },
        ],
      },
    };
  },
};
