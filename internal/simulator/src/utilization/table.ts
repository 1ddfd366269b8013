import type { Distribution } from '../distributions.ts';
import { isInTime, p99Of } from '../event-loop/figures.ts';
import { noLimiter, simulate } from '../event-loop/simulate.ts';
import { jobsOfPhases, type Phase } from '../event-loop/spike.ts';
import { capacityOf, type HandlerKind, type Workload } from '../event-loop/workload.ts';
import { markdownTable } from '../markdown.ts';
import { sheddingAbove } from './shedding.ts';

/** Milliseconds of the fast, medium and slow routes, and the fraction of the requests that each receives. */
const routes = [
  { share: 0.7, time: 2 },
  { share: 0.25, time: 10 },
  { share: 0.05, time: 60 },
];

const mixed: Distribution = (random) => {
  let rest = random();
  for (const { share, time } of routes) {
    rest -= share;
    if (rest < 0) return time;
  }
  return mean;
};

const mean = routes.reduce((sum, { share, time }) => sum + share * time, 0);

/** Seconds at half of the capacity, of the spike, and again at half of the capacity. */
const [BEFORE, SPIKE, AFTER] = [10, 20, 20];

const servers: readonly { name: string; kind: HandlerKind; loads: readonly number[] }[] = [
  { name: 'handlers compute', kind: 'sync', loads: [1.2, 2] },
  { name: 'handlers wait for a pool of 10', kind: 'pool', loads: [2] },
];

/** `undefined` is Headgate, which the simulation uses by default. */
const protections = {
  'no limit': noLimiter,
  'shed above 90 % utilization': sheddingAbove(0.9),
  'Headgate, `concurrencyLimit()`': undefined,
};

export type Protection = keyof typeof protections;

export interface Result {
  /** Answered in time during the spike, as a fraction of the capacity. */
  readonly spike: number;
  /** The 99th percentile of those, in milliseconds. */
  readonly p99: number;
  /** The fraction answered in time from five seconds after the spike on. */
  readonly afterwards: number;
}

/** Simulates one server with this protection in a spike of `load` times its capacity. */
export function resultOf(kind: HandlerKind, load: number, name: Protection): Result {
  const workload: Workload = {
    ...{ kind, mean, serviceTime: mixed, workers: 10, load: 1, connects: true },
    ...{ seconds: BEFORE + SPIKE + AFTER, seed: 7 },
  };
  const phases: Phase[] = [
    { load: 0.5, seconds: BEFORE },
    { load, seconds: SPIKE },
    { load: 0.5, seconds: AFTER },
  ];
  const jobs = jobsOfPhases(workload, phases);
  const outcomes = simulate(workload, jobs, protections[name]);
  const within = (from: number, to: number) =>
    outcomes.filter(({ at }) => at >= 1000 * from && at < 1000 * to);
  const spike = within(BEFORE, BEFORE + SPIKE).filter(isInTime);
  const afterwards = within(BEFORE + SPIKE + 5, BEFORE + SPIKE + AFTER);
  const arrived = jobs.filter(({ at }) => at >= 1000 * (BEFORE + SPIKE + 5)).length;
  return {
    spike: spike.length / SPIKE / capacityOf(workload),
    p99: p99Of(spike.map(({ took }) => took)),
    afterwards: afterwards.filter(isInTime).length / arrived,
  };
}

/** The table of the page. */
export function utilizationTable(): string {
  const rows = servers.flatMap(({ name: server, kind, loads }) =>
    loads.flatMap((load) => [
      [`**${server}, ${load} × the capacity**`, '', '', ''],
      ...Object.keys(protections).map((name) => {
        const { spike, p99, afterwards } = resultOf(kind, load, name as Protection);
        const time = Number.isNaN(p99) ? '–' : `${Math.round(p99)} ms`;
        return [name, spike.toFixed(2), time, `${Math.round(100 * afterwards)} %`];
      }),
    ]),
  );
  const head = ['', 'answered in time, ÷ capacity', 'p99 of those', 'answered afterwards'];
  return markdownTable(head, rows);
}
