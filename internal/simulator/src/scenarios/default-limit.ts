import { compare } from '../event-loop/compare.ts';
import { goalsOf } from '../event-loop/goals.ts';
import { type NamedWorkload, workload } from '../event-loop/named-workload.ts';
import { figure, type Scenario } from '../scenario.ts';

const usual = 'lognormal 0.3';
const skewed = '1 % a hundred times as long';

/** The load is a multiple of the capacity. */
const workloads: readonly NamedWorkload[] = [
  ...[0.8, 1, 5, 20].map((load) => workload({ kind: 'sync', mean: 10, distribution: usual, load })),
  workload({ kind: 'sync', mean: 10, distribution: usual, load: 20, connects: true }),
  workload({ kind: 'sync', mean: 1, distribution: usual, load: 2 }),
  workload({ kind: 'sync', mean: 1, distribution: usual, load: 5 }),
  workload({ kind: 'sync', mean: 3, distribution: usual, load: 15 }),
  workload({ kind: 'sync', mean: 10, distribution: 'constant', load: 1 }),
  ...[0.5, 0.9].map((load) =>
    workload({ kind: 'sync', mean: 25, distribution: usual, load, connects: true }),
  ),
  workload({ kind: 'sync', mean: 25, distribution: 'lognormal 1.0', load: 0.8 }),
  workload({ kind: 'sync', mean: 50, distribution: usual, load: 5 }),
  workload({ kind: 'sync', mean: 100, distribution: usual, load: 2 }),
  ...[0.8, 1, 5].map((load) => workload({ kind: 'timer', mean: 10, distribution: usual, load })),
  workload({ kind: 'timer', mean: 100, distribution: usual, load: 10 }),
  workload({ kind: 'query', mean: 1, distribution: usual, load: 1 }),
  workload({ kind: 'query', mean: 10, distribution: usual, load: 1 }),
  workload({ kind: 'query', mean: 10, distribution: usual, load: 5 }),
  workload({ kind: 'query', mean: 50, distribution: usual, load: 10 }),
  workload({ kind: 'query', mean: 100, distribution: 'lognormal 1.0', load: 5 }),
  workload({ kind: 'query', mean: 3, distribution: usual, load: 0.9, connects: true }),
  workload({ kind: 'query', mean: 25, distribution: usual, load: 5, connects: true }),
  workload({ kind: 'query', mean: 100, distribution: 'constant', load: 5, connects: true }),
  ...[0.8, 2, 5].map((load) => workload({ kind: 'queries', mean: 10, distribution: usual, load })),
  ...[1, 5].map((load) => workload({ kind: 'socket', mean: 10, distribution: usual, load })),
  workload({ kind: 'socket', mean: 3, distribution: usual, load: 5, connects: true }),
  workload({ kind: 'socket', mean: 25, distribution: 'lognormal 1.0', load: 2, connects: true }),
  ...[1, 5].map((load) =>
    workload({ kind: 'pool', mean: 5, workers: 5, distribution: usual, load }),
  ),
  workload({ kind: 'pool', mean: 200, workers: 2, distribution: usual, load: 2 }),
  workload({ kind: 'pool', mean: 35, workers: 10, distribution: usual, load: 1 }),
  workload({ kind: 'pool', mean: 35, workers: 10, distribution: usual, load: 20 }),
  ...[1, 5].map((load) =>
    workload({ kind: 'pool', mean: 200, workers: 50, distribution: usual, load }),
  ),
  workload({ kind: 'sync', mean: 10, distribution: skewed, load: 1 }),
  workload({ kind: 'sync', mean: 10, distribution: skewed, load: 5 }),
  workload({ kind: 'query', mean: 10, distribution: skewed, load: 5 }),
];

/** The lowest percentage of the reference, and the highest p99, that are allowed. */
function boundsOf({
  distribution,
  kind,
  mean,
  connects,
  workers,
}: NamedWorkload): [least: number, longest: number] {
  if (kind === 'queries') return [85, 800];
  if (kind === 'pool' && workers < 4) return [70, 1400];
  if (kind === 'query' && mean >= 100) return [connects ? 65 : 70, 2100];
  if (distribution !== skewed) return [kind === 'query' && connects ? 85 : 90, 1300];
  return kind === 'query' ? [65, 1900] : [80, 1100];
}

/** Minimum number of answers, as a fraction of the answers of a server without a limit. */
const LEAST_OF_NO_LIMIT = 0.93;

/** The largest percentage rejected. */
function maxRejectedOf({ distribution, kind, load }: NamedWorkload): number {
  if (load > 0.8) return 100;
  if (kind === 'queries') return 3;
  return distribution === usual ? 0.5 : 8;
}

export const scenario: Scenario = {
  id: 'default-limit',
  name: 'The default limit in front of a simulated event loop',
  run: () => ({
    figures: workloads.flatMap((each) => {
      const { answered, withoutLimit, ratio, p99, rejected } = compare(each);
      const [least, longest] = boundsOf(each);
      const goals = goalsOf(each);
      const leastAnswered = 100 * LEAST_OF_NO_LIMIT * withoutLimit;
      const maxRejected = maxRejectedOf(each);
      return [
        figure(each.name, 100 * answered, [leastAnswered, 200], 'answered, % of the capacity'),
        figure(each.name, 100 * withoutLimit, [0, 200], 'without a limit, %'),
        figure(each.name, 100 * ratio, [least, 130], '% of the reference', goals.ratio),
        figure(each.name, p99, [0, longest], 'p99, ms', goals.p99),
        figure(each.name, 100 * rejected, [0, maxRejected], '% rejected', goals.rejected),
      ];
    }),
  }),
};
