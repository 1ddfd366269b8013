import { rowsUnder, withTable } from './tables.ts';

const stores = ['Redis', 'PostgreSQL'] as const;
type Rows = readonly (readonly string[])[];

/** docs/capacity.md with what the benchmarks measured, from docs/lab/performance.md. */
export function withCapacity(page: string, performance: string): string {
  const tables = {
    processes: growth(performance, 'processes'),
    names: growth(performance, 'names'),
  };
  const servers = rowsUnder(performance, 'for each of several Redis');
  const goals = ['processes', 'names'].flatMap((what) =>
    stores.flatMap((store) => goalsUnder(performance, headingOf(what, store), store)),
  );
  const goalRows = [...goals, ...goalsUnder(performance, 'for each of several Redis', 'Redis')];
  const [head = [], ...rows] = servers.filter((row) => row.length === 7);
  let changed = withTable(page, 'processes', tables.processes);
  changed = withTable(changed, 'names', tables.names);
  changed = withTable(changed, 'servers', [head, ruleOf(head), ...rows]);
  changed = withTable(changed, 'goals', goalTable(goalRows));
  return withTable(changed, 'capacity', capacity(performance));
}

const headingOf = (what: string, store: string) =>
  what === 'processes' ? `over 1 to 64 processes, in ${store}` : `1 to 10,000 limits, in ${store}`;

/** One row for each number of processes or limits, with the figures of both stores. */
function growth(performance: string, what: 'processes' | 'names'): Rows {
  const [redis, postgres] = stores.map((store) => stepsUnder(performance, headingOf(what, store)));
  const head = [what === 'names' ? 'limits' : what];
  for (const store of stores) head.push(`${store}: µs each`, 'acquires/s a core');
  if (what === 'processes') head.push('PostgreSQL, all idle: ms a second');
  else for (const store of stores) head.push(`held in ${store}`, 'ms a second');
  const rows = (redis ?? []).map((row, i) => {
    const other = postgres?.[i] ?? [];
    // The last cells: of processes, the time while idle; of names, how many are held, and the time meanwhile.
    const last = what === 'processes' ? other.slice(6) : [...row.slice(6), ...other.slice(6)];
    return [row[0], row[4], row[5], other[4], other[5], ...last].map((cell = '–') => cell);
  });
  return [head, ruleOf(head), ...rows];
}

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
  return [head, ruleOf(head), ...rows];
}

/** The rows of measurements: those of the goals have fewer cells. */
function stepsUnder(performance: string, heading: string): Rows {
  const rows = rowsUnder(performance, heading)
    .filter((row) => row.length > 4)
    .slice(1);
  if (rows.length === 0) throw new Error(`"${heading}" has no figures`);
  return rows;
}

function goalsUnder(performance: string, heading: string, store: string): Rows {
  const rows = rowsUnder(performance, heading).filter(([first, ...rest]) => {
    return rest.length === 3 && first !== 'goal';
  });
  return rows.map(([name, ...rest]) => [`${store}, ${name}`, ...rest]);
}

function goalTable(rows: Rows): Rows {
  const head = ['goal', 'target', 'measured', ''];
  const marked = rows.map((row) => {
    return row.map((cell) => (cell.startsWith('not reached') ? `**${cell}**` : cell));
  });
  return [head, ruleOf(head), ...marked];
}

const ruleOf = (head: readonly string[]) => head.map((_, i) => (i === 0 ? '---' : '---:'));
