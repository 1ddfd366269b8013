import { hostNames } from './hosts/index.ts';
import { burstTime } from './http/load.ts';
import type { Group, Round } from './http/rounds.ts';
import { loadSets, processes, type Sets } from './http/sets.ts';
import { type Situation, situations } from './http/situation.ts';
import { type Estimate, estimate, median, pairedRatios } from './stats.ts';
import { type Goal, number, type Table } from './table.ts';

interface Comparison extends Group {
  /** Cases whose CPU per request is compared. Default: `headgate`. */
  of?: readonly string[];
  /** The case to compare it with, and the ratio to reach. */
  over?: string;
  target?: number;
}

const instrumented = ['headgate', 'headgate with Prometheus'];
const traced = ['headgate, traced', 'headgate, traced with spans'];

/** What metrics and spans cost. */
const instruments = (['express', 'hono'] as const).flatMap((framework): Comparison[] =>
  (['free', 'queueing'] as const).flatMap((situation) => [
    {
      ...{ framework, situation, name: 'metrics', cases: instrumented },
      ...{ of: ['headgate with Prometheus'], over: 'headgate', target: 1.03 },
    },
    {
      ...{ framework, situation, name: 'spans', cases: traced },
      ...{ of: ['headgate, traced with spans'], over: 'headgate, traced', target: 1.05 },
    },
  ]),
);

const places = ['headgate in front', 'headgate by the hook'];

/** What a limit costs that limits nothing. */
const unlimited = hostNames.flatMap((framework) =>
  (['free', 'calm'] as const).map(
    (situation): Comparison => ({
      ...{ framework, situation, name: 'places', cases: ['bare', 'headgate', ...places] },
      ...{ of: places, over: 'bare', target: 1.03 },
    }),
  ),
);

const ours = ['bare', 'hand-written', 'headgate'];

const groups: readonly Comparison[] = [
  {
    framework: 'express',
    situation: 'free',
    cases: [...ours, 'express-queue', 'express-rate-limit', 'overload-protection'],
    over: 'hand-written',
    target: 1.05,
  },
  {
    framework: 'express',
    situation: 'queueing',
    cases: [...ours, 'express-queue'],
    over: 'hand-written',
    target: 1.05,
  },
  {
    framework: 'express',
    situation: 'rejecting',
    cases: [...ours, 'express-queue', 'express-rate-limit'],
    over: 'bare',
    target: 0.75,
  },
  {
    framework: 'koa',
    situation: 'free',
    cases: [...ours, 'koa-ratelimit', 'overload-protection'],
    over: 'hand-written',
    target: 1.05,
  },
  { framework: 'koa', situation: 'queueing', cases: ours, over: 'hand-written', target: 1.05 },
  {
    framework: 'hono',
    situation: 'free',
    cases: [...ours, 'hono-rate-limiter'],
    over: 'hand-written',
    target: 1.05,
  },
  { framework: 'hono', situation: 'queueing', cases: ours, over: 'hand-written', target: 1.05 },
  {
    framework: 'fastify',
    situation: 'free',
    cases: [...ours, 'under-pressure', 'rate-limit'],
    over: 'hand-written',
    target: 1.05,
  },
  { framework: 'fastify', situation: 'queueing', cases: ours, over: 'hand-written', target: 1.05 },
  { framework: 'node', situation: 'free', cases: ours, over: 'hand-written', target: 1.05 },
  { framework: 'node', situation: 'queueing', cases: ours, over: 'hand-written', target: 1.05 },
  ...unlimited,
  ...instruments,
];

export interface HttpOptions {
  /** Selects groups by name, such as "express free". */
  readonly only: RegExp;
  /** Rounds of each process. */
  readonly rounds: number;
  /** Path of the program that runs the servers. Default: that of this process. */
  readonly runtime?: string | undefined;
}

/** Compares middlewares over HTTP. */
export async function httpTable({ only, rounds, runtime }: HttpOptions): Promise<Table> {
  const rows: string[][] = [];
  const goals: Goal[] = [];
  for (const group of groups.filter((group) => only.test(nameOf(group)))) {
    const results = await loadSets(group, rounds, runtime);
    for (const name of group.cases) rows.push(row(group, results, name));
    goals.push(...goalsOf(group, results));
  }
  return {
    title: '(f) HTTP: CPU per request, with a 95 % interval',
    columns: ['', 'µs a request', '× bare', '× hand-written', 'requests/s'],
    rows,
    goals,
    notes: [`${processes} processes, ${rounds} rounds of ${burstTime} s each. ${described}.`],
  };
}

const described = Object.entries<Situation>(situations)
  .map(([name, { limit, offered, takesATurn, held }]) => {
    const setting = limit === undefined ? 'the default limit' : `limit ${limit}`;
    const load =
      'rate' in offered ? `${offered.rate} requests/s` : `${offered.connections} connections`;
    const work = takesATurn ? ', a handler that takes an iteration of the event loop' : '';
    return `${name}: ${setting}, ${load}${held ? '; its only permit is held' : work}`;
  })
  .join('; ');

const nameOf = ({ framework, situation, name }: Group) =>
  [framework, situation, name].filter((word) => word !== undefined).join(' ');

function row(group: Group, results: Sets, name: string): string[] {
  const all = results.get(name);
  if (all instanceof Error) return [`${nameOf(group)}, ${name}`, all.message, '', '', ''];
  const ratio = (over: string) => (results.has(over) ? range(cpuRatio(results, name, over)) : '');
  return [
    `${nameOf(group)}, ${name}`,
    number(median(figures(results, name, 'cpu').flat())),
    name === 'bare' ? '' : ratio('bare'),
    name === 'bare' || name === 'hand-written' ? '' : ratio('hand-written'),
    number(median(figures(results, name, 'rate').flat())),
  ];
}

const names: Readonly<Record<string, string>> = {
  'hand-written': 'hand-written counter',
  bare: 'bare app',
};

function goalsOf(comparison: Comparison, results: Sets): Goal[] {
  const { of = ['headgate'], over = 'hand-written', target = 1 } = comparison;
  return of.map((name) => {
    const { mean, low, high } = cpuRatio(results, name, over);
    const compared = of.length > 1 ? `${nameOf(comparison)}, ${name}` : nameOf(comparison);
    const what = `${compared}: CPU / ${names[over] ?? over}`;
    return { what, target, measured: mean, unit: '×', interval: { low, high } };
  });
}

function cpuRatio(results: Sets, name: string, over: string): Estimate {
  const under = figures(results, over, 'cpu');
  const sets = figures(results, name, 'cpu').map((cpu, set) => pairedRatios(cpu, under[set] ?? []));
  return estimate(sets.map((ratios) => estimate(ratios).mean));
}

/** By process, in each round. */
function figures(results: Sets, name: string, figure: keyof Round): number[][] {
  const all = results.get(name);
  if (!Array.isArray(all)) return [];
  return all.map((rounds) => rounds.map((round) => round[figure]));
}

const range = ({ mean, low, high }: Estimate): string =>
  `${number(mean)} (${number(low)}–${number(high)})`;
