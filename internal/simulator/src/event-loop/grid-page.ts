import { markdownTable } from '../markdown.ts';
import { type Cell, type Goal, ratiosOf } from './cells.ts';
import { allWorkloads, kinds, loads } from './named-workload.ts';
import type { HandlerKind } from './workload.ts';

const titles: Readonly<Record<HandlerKind, string>> = {
  sync: 'Handlers that compute immediately',
  timer: 'Handlers that compute after a timer of 5 ms',
  socket: 'Handlers that compute after a socket (1 ms)',
  query: 'Handlers that compute after a query of 100 ms',
  queries: 'Handlers that compute between queries of 100 and 10 ms',
  pool: 'Handlers that use a pool',
};

const introduction = `# The default limit in a simulated event loop

\`\`\`sh
npm run simulate -- grid                        # all workloads: an hour and more, can be interrupted and resumed
npm run simulate -- random --count 200 --keep   # workloads drawn at random, with a new seed
npm run simulate -- grid --page                 # writes this page from the results
\`\`\`

This page has the results for all combinations of what a handler does, how long it takes, how much that varies, how clients connect, and a
load from 0.5 to 20 times the capacity. [Simulations](simulations.md#the-default-limit) describes the simulation and the reference. Not all
goals are within reach: the reference knows how long each request will take, and never starts one that would keep the loop idle or a
connection waiting. The decisions on [the adaptive limit](../decisions/0070-the-adaptive-limit.md) and [the default
limit](../decisions/0050-the-default-limit.md) say which workloads it is weakest in.

The goals, from which misses are counted:

- *of the reference*: at least 98 % up to the capacity, and 97 % above it;
- *p99* above the capacity: at most 300 ms, or twelve times what a handler takes if that is longer, plus the p99 of the handler alone;
- *rejected*: at most 0.5 % at 0.5 and 0.8 times the capacity, if a handler takes at most 25 ms;
- *no limit*: at least 99.5 % of what a server without a limit answers in time.

"Worst" is the lowest result relative to the reference, and relative to a server without a limit.`;

/** The page of all results: a summary, the worst results, and a table for each kind of handler. */
export function gridPage(grid: readonly Cell[], random: readonly Cell[]): string {
  const measured = kinds.filter((kind) => grid.some((cell) => cell.kind === kind));
  const sections = [
    introduction,
    `## Summary\n\n${summary(grid)}`,
    `## The worst\n\n${worst(grid, 20)}`,
    ...(random.length > 0 ? [randomSection(random)] : []),
    ...measured.map((kind) => `## ${titles[kind]}\n\n${gridOf(kind, grid)}`),
  ];
  return `${sections.join('\n\n')}\n`;
}

function randomSection(cells: readonly Cell[]): string {
  const seeds = [...new Set(cells.map(({ seed }) => seed))].join(', ');
  return (
    `## Workloads drawn at random\n\n${cells.length} workloads, from the seed ${seeds}, which was drawn after the last change of the ` +
    `limit.\n\n${summary(cells)}\n\n${worst(cells, 10)}`
  );
}

const isOverload = ({ load }: Cell) => load > 1;

/** For each goal, how many workloads reach it. */
function summary(cells: readonly Cell[]): string {
  const head = [
    '',
    'workloads',
    'of the reference',
    'p99',
    'rejected',
    'no limit',
    'median, %',
    'worst, %',
    'worst of no limit, %',
  ];
  const rows = kinds.flatMap((kind) => {
    const own = cells.filter((cell) => cell.kind === kind);
    return [
      summaryRow(
        `${titles[kind]}, up to the capacity`,
        own.filter((cell) => !isOverload(cell)),
      ),
      summaryRow(`${titles[kind]}, above it`, own.filter(isOverload)),
    ];
  });
  return markdownTable(head, rows.flat());
}

function summaryRow(title: string, cells: readonly Cell[]): string[][] {
  if (cells.length === 0) return [];
  const reached = (goal: Goal) => `${cells.filter(({ missed }) => !missed.includes(goal)).length}`;
  const { worst: least, median } = ratiosOf(cells);
  const leastOfNoLimit = Math.min(
    ...cells.map(({ answered, withoutLimit }) => answered / withoutLimit),
  );
  return [
    [
      title,
      `${cells.length}`,
      ...(['ratio', 'p99', 'rejected', 'withoutLimit'] as const).map(reached),
      (100 * median).toFixed(1),
      (100 * least).toFixed(1),
      leastOfNoLimit > 10 ? '> 1000' : (100 * leastOfNoLimit).toFixed(1),
    ],
  ];
}

/** The workloads with the lowest results, relative to the reference. */
function worst(cells: readonly Cell[], count: number): string {
  const head = ['', 'answered, %', 'no limit, %', 'of the reference, %', 'p99, ms', 'rejected, %'];
  const first = cells.toSorted((one, other) => one.ratio - other.ratio).slice(0, count);
  const rows = first.map(({ name, answered, withoutLimit, ratio, p99, rejected }) => [
    name,
    (100 * answered).toFixed(1),
    (100 * withoutLimit).toFixed(1),
    (100 * ratio).toFixed(1),
    p99.toFixed(0),
    (100 * rejected).toFixed(1),
  ]);
  return markdownTable(head, rows);
}

/** A table with a row for each server and a column for each load: the percentage of the reference. */
function gridOf(kind: HandlerKind, cells: readonly Cell[]): string {
  const byName = new Map(cells.map((cell) => [cell.name, cell]));
  const servers = [...new Set(allWorkloads(kind).map(({ server }) => server))];
  const rows = servers.map((server) => [
    server,
    ...loads.map((load) => shown(byName.get(`${server}, ${load} ×`))),
  ]);
  const note =
    'The figures are percentages of the reference. Bold: below the goal. p: the p99 is above its goal. r: more requests are rejected than\n' +
    'the goal allows. n: a server without a limit answers more. –: the server does not even have the time to reject all requests that it\n' +
    'cannot answer.';
  return `${note}\n\n${markdownTable(['', ...loads.map((load) => `${load} ×`)], rows)}`;
}

const letters = { p99: 'p', rejected: 'r', withoutLimit: 'n' } as const;

function shown(cell: Cell | undefined): string {
  if (cell === undefined) return '–';
  const ratio = (100 * cell.ratio).toFixed(1);
  const marks = Object.entries(letters)
    .filter(([goal]) => cell.missed.includes(goal as Goal))
    .map(([, letter]) => letter);
  const value = cell.missed.includes('ratio') ? `**${ratio}**` : ratio;
  return [value, ...marks].join(' ');
}
