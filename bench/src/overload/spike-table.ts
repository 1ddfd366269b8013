import { type Goal, number, type Table } from '../table.ts';
import { type SpikePlan, spikeMultiple } from './plan.ts';
import { meaning } from './resources.ts';
import type { Spike, SpikeRun } from './spike.ts';

/** Each default limit, and the right fixed limit in the same place. */
const compared = [
  ['headgate', 'headgate, right limit'],
  ['headgate in front', 'headgate in front, right limit'],
] as const;

/** What is measured unless words say otherwise. */
export const spikeContenders: readonly string[] = [
  ...compared.flat(),
  'express-queue, right limit',
];

/** Each cell has the part of the capacity that was answered in time, and the p99 of those answers. */
export function spikeTable(run: SpikeRun, { runs, spike, warmUp }: SpikePlan): Table {
  const { resource, capacities, spikes } = run;
  return {
    title:
      `${resource}: ${meaning[resource]}; the first ${spike} s of ${spikeMultiple} × the capacity of ` +
      `${number(capacities[0] ?? Number.NaN)}/s (${number(Math.min(...capacities))}–${number(Math.max(...capacities))})`,
    columns: [
      `in time ÷ capacity, p99 in ms, after ${warmUp} s at half of the capacity`,
      ...Array.from({ length: runs }, (_, i) => `run ${i + 1}`),
      'worst',
    ],
    rows: [...spikes].map(([name, all]) => [name, ...all.map(cell), cell(worstOf(all))]),
    goals: compared.flatMap(([ours, right]) => goals(spikes, ours, right)),
  };
}

function cell({ answered, p99 }: Spike): string {
  return `${answered.toFixed(2)}, ${number(p99)}`;
}

function worstOf(all: readonly Spike[]): Spike {
  return {
    answered: Math.min(...all.map(({ answered }) => answered)),
    p99: Math.max(...all.map(({ p99 }) => p99)),
  };
}

function goals(spikes: SpikeRun['spikes'], ours: string, right: string): Goal[] {
  const [measured, fixed] = [spikes.get(ours), spikes.get(right)];
  if (measured === undefined || fixed === undefined) return [];
  const [worst, worstFixed] = [worstOf(measured), worstOf(fixed)];
  return [
    {
      what: `${right} − ${ours}, answered in the worst run`,
      ...{ target: 0.05, measured: worstFixed.answered - worst.answered, unit: '× capacity' },
    },
    {
      what: `${ours} / ${right}, p99 in the worst run`,
      ...{ target: 1.5, measured: worst.p99 / worstFixed.p99, unit: '×' },
    },
  ];
}
