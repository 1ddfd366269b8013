import { rowsUnder, withTable } from './tables.ts';

const stores = ['Redis', 'PostgreSQL'] as const;
type Rows = readonly (readonly string[])[];

/** docs/capacity.md with what the benchmarks measured, from docs/lab/performance.md. */
export function withCapacity(page: string, performance: string): string {
  const tables = {
    capacity: capacity(performance),
    servers: servers(performance),
  };
  return Object.entries(tables).reduce(
    (changed, [name, [head = [], ...rows]]) =>
      withTable(changed, name, [head, ruleOf(head), ...rows]),
    page,
  );
}

const headingOf = (what: 'processes' | 'names', store: string) =>
  what === 'processes' ? `over 1 to 64 processes, in ${store}` : `1 to 10,000 limits, in ${store}`;

/** The least and the most that one core serves. */
function capacity(performance: string): Rows {
  const head = ['acquires per second and core', '1 process', '4', '64', '4, on 10,000 limits'];
  const rows = stores.map((store) => {
    const processes = stepsUnder(performance, headingOf('processes', store));
    const names = stepsUnder(performance, headingOf('names', store));
    const rate = (rows: Rows, first: string) => rows.find(([cell]) => cell === first)?.[5] ?? '–';
    const rates = ['1', '4', '64'].map((count) => rate(processes, count));
    return [store, ...rates, rate(names, '10,000')];
  });
  return [head, ...rows];
}

/** The capacity of several Redis relative to one, for callers that do not wait, and for callers of which most wait. */
function servers(performance: string): Rows {
  const rows = stepsUnder(performance, 'for each of several Redis');
  const ofLoad = (load: string) => rows.filter(([first]) => first === load);
  const [many, few] = [ofLoad('1,000, of 10'), ofLoad('24, of 1')];
  const head = ['Redis servers', 'no caller waits', 'most callers wait'];
  return [head, ...many.map((row, i) => [row[1], row[6], few[i]?.[6]].map((cell = '–') => cell))];
}

/** The rows of measurements: those of the goals have fewer cells. */
function stepsUnder(performance: string, heading: string): Rows {
  const rows = rowsUnder(performance, heading)
    .filter((row) => row.length > 4)
    .slice(1);
  if (rows.length === 0) throw new Error(`"${heading}" has no figures`);
  return rows;
}

const ruleOf = (head: readonly string[]) => head.map((_, i) => (i === 0 ? '---' : '---:'));
