import { quantile } from 'headgate/load';
import type { HostName } from '../hosts/index.ts';
import type { Estimate } from '../stats.ts';
import { type Goal, number, type Table } from '../table.ts';
import { contenders } from './contenders.ts';
import { goals } from './goals.ts';
import { inFront } from './rejecting.ts';
import type { RejectionCost } from './rejection-cost.ts';
import { meaning } from './resources.ts';
import type { ResourceRun } from './run.ts';
import { measuredOf, throughputRatio } from './throughput-ratio.ts';

/**
 * The results of each server at each multiple of the capacity. `rejectionCost` is the main-thread time of a bare
 * handler's 503 in milliseconds.
 */
export function loadTable(run: ResourceRun, rejectionCost: number): Table {
  return {
    title: `${run.resource}: ${meaning[run.resource]}; capacity ${number(run.capacities[0] ?? Number.NaN)}/s`,
    columns: [
      '',
      'load',
      'in time ÷ capacity',
      'bound',
      'of the bound',
      'p50, ms',
      'p99, ms',
      'rejected/s',
      'gave up/s',
      'failed/s',
    ],
    rows: measuredOf(run).flatMap(([name, measured]) =>
      [...measured.loads].map(([multiple, figures]) => {
        const ratio = throughputRatio(run, measured, multiple, rejectionCost);
        return [
          name,
          `${multiple} ×`,
          ratio.answered.toFixed(3),
          ratio.bound.toFixed(3),
          ratio.ofBound.toFixed(3),
          number(figures.p50),
          number(figures.p99),
          number(figures.refused),
          number(figures.late),
          number(figures.failed),
        ];
      }),
    ),
    goals: goals(run, rejectionCost),
    notes: notes(run),
  };
}

/** The results of each server around the overload. */
export function recoveryTable(run: ResourceRun): Table {
  return {
    title: `${run.resource}: before and after the spike, and with critical requests in 5 × the capacity`,
    columns: [
      '',
      'unloaded p50, ms',
      'p99, ms',
      'normal again after, ms',
      'critical in time, %',
      'others, %',
      'max RSS, MB',
      'waiting for a core, %',
    ],
    rows: measuredOf(run).map(([name, measured]) => [
      name,
      number(measured.unloaded.p50),
      number(measured.unloaded.p99),
      Number.isFinite(measured.recovery) ? `${measured.recovery}` : 'never seen',
      number(100 * measured.critical),
      number(100 * measured.others),
      number(measured.maxRss / 1e6),
      number(100 * measured.starved),
    ]),
    goals: [],
  };
}

/** The adaptive limits: the 10th, 50th and 90th percentile of the samples. */
export function limitTable(run: ResourceRun): Table {
  const adaptive = measuredOf(run).filter(
    ([, { limits }]) => spread([...limits.values()].flat()) > 0,
  );
  const phases = [...(adaptive[0]?.[1].limits.keys() ?? [])];
  return {
    title: `${run.resource}: the limit in each phase (p10, p50, p90)`,
    columns: ['', ...phases],
    rows: adaptive.map(([name, { limits }]) => [
      name,
      ...phases.map((phase) => {
        const all = limits.get(phase) ?? [];
        return [0.1, 0.5, 0.9].map((part) => number(quantile(all, part))).join(' ');
      }),
    ]),
    goals: [],
  };
}

function spread(values: readonly number[]): number {
  return values.length === 0 ? 0 : quantile(values, 1) - quantile(values, 0);
}

/** Only Express has a goal: other frameworks spend so little on a bare 503 that a rejection in front cannot save much. */
export function rejectionCostTable(
  rejectionCosts: ReadonlyMap<string, RejectionCost>,
  host: HostName,
): Table {
  const measured = rejectionCosts.get(inFront);
  return {
    title: 'The cost of one rejection',
    columns: ['', 'µs of the main thread', '× bare 503'],
    rows: [...rejectionCosts].map(([name, { cpu, overBare }]) => [
      name,
      number(1_000 * cpu),
      `${number(overBare.mean)} (${number(overBare.low)}–${number(overBare.high)})`,
    ]),
    goals: host === 'express' && measured ? [goalInFront(measured.overBare)] : [],
  };
}

function goalInFront({ mean, low, high }: Estimate): Goal {
  const what = 'a rejection in front / bare 503';
  return { what, target: 0.45, measured: mean, unit: '×', interval: { low, high } };
}

export function settingsTable(names: readonly string[]): Table {
  return {
    title: 'Settings',
    columns: ['', 'settings'],
    rows: names.map((name) => [name, contenders[name]?.settings ?? '']),
    goals: [],
  };
}

function notes(run: ResourceRun): string[] {
  const all = run.capacities;
  const drift = all.map((capacity) => number(capacity)).join(', ');
  const failures = [...run.cases].filter(([, result]) => result instanceof Error);
  const measured = measuredOf(run).map(([, result]) => result);
  const p50 = Math.max(...measured.map(({ lateness }) => lateness.p50));
  const p99 = Math.max(...measured.map(({ lateness }) => lateness.p99));
  return [
    `Capacity, measured before the first case and after each: ${drift}/s.`,
    `The load generator sent requests at most ${number(p50)} ms (p50) and ${number(p99)} ms (p99) late; latencies count from ` +
      'the time at which a request was due.',
    ...failures.map(([name, error]) => `${name}: ${(error as Error).message}.`),
  ];
}
