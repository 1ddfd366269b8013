import { loadOf } from './overload.ts';
import { cellsOf, goalUnder, rowsUnder, withTable } from './tables.ts';

/** The pages with the tables of the benchmarks. */
export interface Pages {
  readonly performance: string;
  readonly overload: string;
  readonly queue: string;
}

const database = 'Handlers that wait for a database';

/** What a user decides by. All goals are in docs/lab/performance.md. */
function figuresFrom({ performance, overload, queue }: Pages): [string, string, string][] {
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
      '`limit: 4` at 2 × its capacity, clients give up after 500 ms: answered, relative to the capacity',
      answeredBeforeLeaving(queue),
      '[a plain queue](docs/clients-that-give-up.md) answers a tenth',
    ],
    [
      'CPU of an admitted Express request, relative to a hand-written counter',
      admitted.measured,
      'next to nothing, while there is room',
    ],
    [
      'CPU of a rejection in front of Express, relative to a 503 of Express',
      inFront,
      'the CPU stays with the admitted requests',
    ],
  ];
}

/** The lowest and the highest figure of the servers whose clients leave after half a second. */
function answeredBeforeLeaving(queue: string): string {
  const [head = [], ...rows] = rowsUnder(queue, 'On real HTTP');
  const column = head.indexOf('0.5 s');
  const answered = rows.map((row) => Number(row[column]?.split(' / ')[0]) / 100);
  if (answered.length === 0 || answered.some(Number.isNaN))
    throw new Error('"On real HTTP" has no figures for 0.5 s');
  return `${Math.min(...answered).toFixed(2)}–${Math.max(...answered).toFixed(2)} ×`;
}

/** The README with the figures as the pages have them now. */
export function withFigures(readme: string, pages: Pages): string {
  return withTable(readme, 'figures', [
    ['', 'Measured', 'What it means'],
    ['---', '---:', '---'],
    ...figuresFrom(pages),
  ]);
}
