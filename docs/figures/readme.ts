import { goalUnder, withTable } from './tables.ts';

/** The pages with the tables of the benchmarks, and the configuration of the bundle sizes. */
export interface Pages {
  readonly performance: string;
  readonly overload: string;
  readonly sizes: string;
}

interface Row {
  readonly label: string;
  readonly page: 'performance' | 'overload';
  readonly heading: string;
  readonly goal: string;
}

const rows: readonly Row[] = [
  {
    label: '`run()`, uncontended, relative to a bare `await`',
    page: 'performance',
    heading: '(a)',
    goal: 'run() / bare await',
  },
  {
    label: '`run()`, uncontended, relative to p-limit',
    page: 'performance',
    heading: '(a)',
    goal: 'run() / p-limit',
  },
  {
    label:
      '`run()`, 64 callers on a limit of 10, relative to p-limit (async-sema and fastq are faster)',
    page: 'performance',
    heading: '(b)',
    goal: '64 looping callers / p-limit',
  },
  {
    label: 'memory of a waiter with a promise and a deadline',
    page: 'performance',
    heading: '(c)',
    goal: 'a waiter with a promise, with a deadline',
  },
  {
    label: 'CPU of an admitted Express request, relative to a hand-written counter',
    page: 'performance',
    heading: '(f)',
    goal: 'express free: CPU / hand-written counter',
  },
  {
    label: 'the same when requests queue',
    page: 'performance',
    heading: '(f)',
    goal: 'express queueing: CPU / hand-written counter',
  },
  {
    label: 'CPU of a rejection, relative to the bare app',
    page: 'performance',
    heading: '(f)',
    goal: 'express rejecting: CPU / bare app',
  },
  {
    label: 'Redis, 4 processes, 5 ms of work: throughput relative to a minimal FIFO lock',
    page: 'performance',
    heading: '50 callers per process',
    goal: '4 × 50, 5 ms: throughput over minimal',
  },
  {
    label: 'PostgreSQL, 10 processes: throughput relative to two bare `UPDATE`s',
    page: 'performance',
    heading: 'each in a process of its own',
    goal: 'pairs/s over two UPDATEs, 10 at once',
  },
  {
    label: 'the semaphore service, relative to a bare Hono route that reads the same bodies',
    page: 'performance',
    heading: 'Alternating acquires and releases',
    goal: 'acquire and release over a bare Hono route, which alternately reads a body',
  },
  {
    label: '5 × the capacity, database: shortfall of answers in time',
    page: 'overload',
    heading: 'Handlers that wait for a database',
    goal: 'short of the bound at 5 ×',
  },
  {
    label: '5 × the capacity, database: p99 of the answered requests',
    page: 'overload',
    heading: 'Handlers that wait for a database',
    goal: 'p99 of those answered at 5 ×',
  },
  {
    label: '10 × the capacity, CPU, keep-alive: best other library relative to Headgate',
    page: 'overload',
    heading: 'Handlers that compute',
    goal: 'best other / headgate at 10 ×',
  },
];

/** The README with the figures as the pages have them now. */
export function withFigures(readme: string, pages: Pages): string {
  const figures = rows.map(({ label, page, heading, goal }) => {
    const { measured, target, verdict } = goalUnder(pages[page], heading, goal);
    return [label, measured, target, inWords(verdict)];
  });
  const head = ['', 'Measured', 'Goal', ''];
  const rule = ['---', '---:', '---:', '---'];
  return withTable(readme, 'figures', [head, rule, ...figures, sizeRow(pages.sizes)]);
}

/** CI fails above the limit of this bundle, so it is never larger. */
function sizeRow(sizes: string): string[] {
  const [, limit] = /createLimiter alone'.*?limit: '([\d.]+) kB'/s.exec(sizes) ?? [];
  const goal = 5;
  if (limit === undefined) throw new Error('the size of createLimiter has no limit');
  const verdict = Number(limit) <= goal ? 'met' : '**missed**';
  const label = '`createLimiter` alone, minified and gzipped';
  return [label, `≤ ${limit} kB`, `≤ ${goal} kB`, verdict];
}

/** A missed goal stands out. */
function inWords(verdict: string): string {
  if (verdict.startsWith('reached')) return verdict.replace('reached', 'met');
  if (verdict.startsWith('not reached')) return `**${verdict.replace('not reached', 'missed')}**`;
  throw new Error(`unknown verdict "${verdict}"`);
}
