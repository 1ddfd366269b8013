import { cell, type NamedCell } from '../event-loop/cells.ts';
import { compare } from '../event-loop/compare.ts';
import { figure, type Scenario } from '../scenario.ts';

const usual = 'lognormal 0.3';

/** The load is a multiple of the capacity. */
const cells: readonly NamedCell[] = [
  ...[0.8, 1, 5, 20].map((load) => cell({ kind: 'sync', mean: 10, work: usual, load })),
  cell({ kind: 'sync', mean: 10, work: usual, load: 20, connects: true }),
  cell({ kind: 'sync', mean: 1, work: usual, load: 2 }),
  cell({ kind: 'sync', mean: 50, work: usual, load: 5 }),
  ...[0.8, 1, 5].map((load) => cell({ kind: 'timer', mean: 10, work: usual, load })),
  cell({ kind: 'timer', mean: 100, work: usual, load: 10 }),
  cell({ kind: 'socket', mean: 25, work: 'lognormal 1.0', load: 2, connects: true }),
  cell({ kind: 'pool', mean: 35, workers: 10, work: usual, load: 1 }),
  cell({ kind: 'pool', mean: 35, workers: 10, work: usual, load: 20 }),
  cell({ kind: 'pool', mean: 200, workers: 50, work: usual, load: 5 }),
  cell({ kind: 'sync', mean: 10, work: '1 % a hundred times as long', load: 1 }),
];

export const scenario: Scenario = {
  id: 'default-limit',
  name: 'The default limit in front of a simulated event loop',
  run: () => ({
    figures: cells.flatMap((each) => {
      const { answered, ratio, p99, rejected } = compare(each);
      const isSkewed = each.name.includes('hundred times');
      return [
        figure(each.name, 100 * answered, [0, 200], 'answered, % of the capacity'),
        figure(each.name, 100 * ratio, [isSkewed ? 80 : 94, 130], '% of the reference'),
        figure(each.name, p99, [0, isSkewed ? 600 : 1200], 'p99, ms'),
        figure(each.name, 100 * rejected, [0, each.load <= 0.8 ? 0.5 : 100], '% rejected'),
      ];
    }),
  }),
};
