import { handingOff, ours } from '../distributed/contender-names.ts';
import type { Goal } from '../table.ts';
import { bound } from './contender-names.ts';
import { type CrowdResults, commands, figure, rateOver, title } from './crowd-results.ts';

/** The target fraction of the bound's throughput, by milliseconds of work. */
const share: Record<number, number> = { 0: 0.45, 5: 0.95, 50: 0.95 };

export function contendedGoals(all: readonly CrowdResults[]): Goal[] {
  return all.flatMap((results) => [
    ...plain(results),
    ...(results.work === 50 ? fairness(results) : []),
    ...handoff(results),
  ]);
}

function plain(results: CrowdResults): Goal[] {
  const of = title(results);
  return [
    {
      what: `${of}: throughput over ${bound}`,
      target: share[results.work] ?? Number.NaN,
      atLeast: true,
      measured: rateOver(results, ours, bound),
      unit: '×',
    },
    {
      what: `${of}: commands for an acquire`,
      target: 2.1,
      measured: commands(results, ours),
      unit: '',
    },
  ];
}

function fairness(results: CrowdResults): Goal[] {
  const of = title(results);
  return [
    {
      what: `${of}: wait p99 over p50`,
      target: 1.3,
      measured: figure(results, ours, 'p99') / figure(results, ours, 'p50'),
      unit: '×',
    },
    {
      what: `${of}: most over least served`,
      target: 1.1,
      measured: figure(results, ours, 'inequality'),
      unit: '×',
    },
  ];
}

function handoff(results: CrowdResults): Goal[] {
  const of = `${title(results)}, handoff: 10`;
  const fewCommands = {
    what: `${of}: commands for an acquire`,
    target: 0.3,
    measured: commands(results, handingOff),
    unit: '',
  };
  const faster = {
    what: `${of}: throughput relative to no handoff`,
    target: 8,
    atLeast: true,
    measured: rateOver(results, handingOff, ours),
    unit: '×',
  };
  const longestWait = {
    what: `${of}: longest wait relative to no handoff`,
    target: 2,
    measured: figure(results, handingOff, 'longest') / figure(results, ours, 'longest'),
    unit: '×',
  };
  // With 50 ms of work, a permit is handed off twice before it returns to the store, however many hand-offs are
  // allowed.
  if (results.work === 50) return [longestWait];
  return results.work === 0 ? [fewCommands, faster] : [fewCommands];
}
