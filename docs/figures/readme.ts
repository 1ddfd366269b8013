import { loadOf } from './overload.ts';
import { cellsOf, goalUnder, withTable } from './tables.ts';

/** The pages with the tables of the benchmarks. */
export interface Pages {
  readonly performance: string;
  readonly overload: string;
}

const database = 'Handlers that wait for a database';

/** What a user decides by. All goals are in docs/lab/performance.md. */
function figuresFrom({ performance, overload }: Pages): [string, string, string][] {
  const { answered, p99 } = loadOf(overload, database);
  const admitted = goalUnder(performance, '(f)', 'express free: CPU / hand-written counter');
  const rejected = ['headgate in front, by its limit'];
  const inFront = cellsOf(overload)('The cost of one rejection', rejected, 2);
  return [
    [
      'Database at 5 × its capacity: answered in time, relative to the capacity',
      answered,
      'the server does all the work it can; without a limit, it answers nothing in time',
    ],
    [
      'the same: p99 of the answered requests',
      `${p99} ms`,
      'the price of the queue; clients give up after 1,000 ms',
    ],
    [
      'CPU of an admitted Express request, relative to a hand-written counter',
      admitted.measured,
      'while there is room, the limit costs next to nothing',
    ],
    [
      'CPU of a rejection in front of Express, relative to a 503 of Express',
      inFront,
      'rejections take little of the CPU that admitted requests need',
    ],
  ];
}

/** The README with the figures as the pages have them now. */
export function withFigures(readme: string, pages: Pages): string {
  return withTable(readme, 'figures', [
    ['', 'Measured', 'What it means'],
    ['---', '---:', '---'],
    ...figuresFrom(pages),
  ]);
}
