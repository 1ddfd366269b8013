import { goalUnder, withTable } from './tables.ts';

/** The pages with the tables of the benchmarks. */
export interface Pages {
  readonly performance: string;
  readonly overload: string;
}

interface Row {
  readonly label: string;
  readonly page: keyof Pages;
  readonly heading: string;
  readonly goal: string;
}

const database = { page: 'overload', heading: 'Handlers that wait for a database' } as const;
const express = { page: 'performance', heading: '(f)' } as const;

/** What a user decides by. All goals are in docs/performance.md. */
const rows: readonly Row[] = [
  {
    ...database,
    label: '5 × the capacity of a database: how far the answers in time fall short of the capacity',
    goal: 'short of the bound at 5 ×',
  },
  {
    ...database,
    label: '5 × the capacity of a database: p99 of the answered requests',
    goal: 'p99 of those answered at 5 ×',
  },
  {
    ...express,
    label: 'CPU of an admitted Express request, relative to a hand-written counter',
    goal: 'express free: CPU / hand-written counter',
  },
  {
    ...express,
    label: 'CPU of a rejection, relative to the response of an app that does nothing',
    goal: 'express rejecting: CPU / bare app',
  },
];

/** The README with the figures as the pages have them now. */
export function withFigures(readme: string, pages: Pages): string {
  const figures = rows.map(({ label, page, heading, goal }) => [
    label,
    goalUnder(pages[page], heading, goal).measured,
  ]);
  return withTable(readme, 'figures', [['', 'Measured'], ['---', '---:'], ...figures]);
}
