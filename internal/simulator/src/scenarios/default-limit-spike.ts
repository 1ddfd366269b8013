import type { LocalLimiter } from '@headgate/core';
import { isInTime } from '../event-loop/figures.ts';
import { type NamedWorkload, workload } from '../event-loop/named-workload.ts';
import { limiterByPriority, noLimiter, simulate } from '../event-loop/simulate.ts';
import type { SimulatedLoop } from '../event-loop/simulated-loop.ts';
import { criticalInTime, jobsOfPhases, recoveryTime } from '../event-loop/spike.ts';
import { capacityOf, type Outcome } from '../event-loop/workload.ts';
import type { Point } from '../plot/panel.ts';
import type { Plot } from '../plot/plot.ts';
import { type Figure, figure, type Scenario } from '../scenario.ts';

/** Seconds. */
const spike = { from: 10, to: 30 };
const end = 45;

const usual = 'lognormal 0.3';

const plotted = workload({ kind: 'sync', mean: 10, distribution: usual, load: 5 });

/** The load during the spike is a multiple of the capacity. Before and after the spike, it is half of the capacity. */
const workloads: readonly NamedWorkload[] = [
  workload({ kind: 'sync', mean: 10, distribution: usual, load: 2 }),
  plotted,
  workload({ kind: 'sync', mean: 10, distribution: usual, load: 20 }),
  workload({ kind: 'sync', mean: 10, distribution: usual, load: 20, connects: true }),
  workload({ kind: 'sync', mean: 1, distribution: usual, load: 2 }),
  workload({ kind: 'sync', mean: 100, distribution: usual, load: 10 }),
  workload({ kind: 'timer', mean: 10, distribution: usual, load: 20 }),
  workload({ kind: 'socket', mean: 10, distribution: usual, load: 20 }),
  workload({ kind: 'query', mean: 10, distribution: usual, load: 20 }),
  workload({ kind: 'query', mean: 10, distribution: usual, load: 20, connects: true }),
  workload({ kind: 'pool', mean: 35, workers: 10, distribution: usual, load: 20 }),
  workload({ kind: 'pool', mean: 200, workers: 50, distribution: usual, load: 20 }),
  workload({ kind: 'sync', mean: 10, distribution: 'lognormal 1.0', load: 20 }),
];

function outcomesOf(
  each: NamedWorkload,
  limiterOf: (loop: SimulatedLoop) => LocalLimiter,
): Outcome[] {
  const jobs = jobsOfPhases(each, [
    { load: 0.5, seconds: spike.from },
    { load: each.load, seconds: spike.to - spike.from },
    { load: 0.5, seconds: end - spike.to },
  ]);
  return simulate(each, jobs, limiterOf);
}

const inSpike = ({ at }: Outcome) => at >= 1000 * spike.from && at < 1000 * spike.to;

function recoveryOf(outcomes: readonly Outcome[]): number {
  return recoveryTime(outcomes, { from: 1000 * spike.from, to: 1000 * spike.to }, 1000 * end);
}

/** For each second: the answers in time, as a percentage of the capacity. */
function answeredPerSecond(each: NamedWorkload, outcomes: readonly Outcome[]): Point[] {
  const counts = new Array<number>(end).fill(0);
  for (const { at, took } of outcomes.filter(isInTime)) {
    const second = Math.floor((at + took) / 1000);
    if (second < end) counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts.map((count, second) => [second + 0.5, (100 * count) / capacityOf(each)]);
}

interface Run {
  readonly limited: readonly Outcome[];
  readonly unlimited: readonly Outcome[];
}

function figuresOf(name: string, { limited, unlimited }: Run): Figure[] {
  const critical = (outcomes: readonly Outcome[]) => criticalInTime(outcomes.filter(inSpike));
  return [
    figure(name, critical(limited), [98, 100], 'critical in time, %', [99.5, 100]),
    figure(name, critical(unlimited), [0, 100], 'without a limit, %'),
    figure(name, recoveryOf(limited), [0, 2000], 'normal again after, ms', [0, 1000]),
    figure(name, recoveryOf(unlimited), [0, Infinity], 'without a limit, ms'),
  ];
}

function plotOf({ limited, unlimited }: Run): Plot {
  return {
    title: 'A spike of five times the capacity, in front of handlers that compute for 10 ms',
    subtitle: 'The default limit, and none. Clients give up after 1 s, and do not retry.',
    phases: [{ ...spike, label: `${plotted.load} × the capacity` }],
    panels: [
      {
        title: 'answered in time, % of the capacity',
        lines: {
          'the default limit': answeredPerSecond(plotted, limited),
          'no limit': answeredPerSecond(plotted, unlimited),
        },
      },
    ],
  };
}

export const scenario: Scenario = {
  id: 'default-limit-spike',
  name: 'Twenty seconds of overload behind the default limit; critical requests need 0.45 of the capacity',
  run() {
    const runs = new Map<NamedWorkload, Run>();
    for (const each of workloads) {
      const limited = outcomesOf(each, limiterByPriority);
      runs.set(each, { limited, unlimited: outcomesOf(each, noLimiter) });
    }
    return {
      figures: [...runs].flatMap(([{ name }, run]) => figuresOf(name, run)),
      plot: plotOf(runs.get(plotted) as Run),
    };
  },
};
