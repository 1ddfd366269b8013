import { loadOf } from './overload.ts';
import { goalUnder, rowsUnder, withTable } from './tables.ts';

/** The pages with the tables of the benchmarks. */
export interface Pages {
  readonly performance: string;
  readonly overload: string;
}

const database = 'Handlers that wait for a database';

/** What a user decides by. All goals are in docs/lab/performance.md. */
function figuresFrom({ performance, overload }: Pages): [label: string, figure: string][] {
  const { answered, p99 } = loadOf(overload, database);
  const admitted = goalUnder(performance, '(f)', 'express free: CPU / hand-written counter');
  const costs = rowsUnder(overload, 'The cost of one rejection');
  const inFront = costs.find(([name]) => name === 'headgate in front, by its limit')?.[2];
  if (inFront === undefined) throw new Error('the cost of a rejection in front is missing');
  return [
    ['5 × the capacity of a database: answered in time, relative to the capacity', answered],
    ['5 × the capacity of a database: p99 of the answered requests', `${p99} ms`],
    ['CPU of an admitted Express request, relative to a hand-written counter', admitted.measured],
    ['CPU of a rejection in front of Express, relative to the 503 of an Express app', inFront],
  ];
}

/** The README with the figures as the pages have them now. */
export function withFigures(readme: string, pages: Pages): string {
  return withTable(readme, 'figures', [['', 'Measured'], ['---', '---:'], ...figuresFrom(pages)]);
}
