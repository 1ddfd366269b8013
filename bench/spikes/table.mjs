import { normal } from '../src/overload/plan.ts';
import { number } from '../src/table.ts';
import { MULTIPLES, RUNS, SPIKE } from './measure.mjs';

/** A row for each app with and without the hook, and its worst run in each cell. */
export function spikesTable(measured, machine) {
  return {
    title: `${SPIKE} s of ${MULTIPLES.join(' and ')} times the capacity, ${RUNS} runs, the worst of each; ${machine}`,
    columns: [
      'App, and its capacity',
      'hook',
      ...MULTIPLES.flatMap((multiple) => [`${multiple} ×: in time ÷ capacity`, 'p99']),
      `then ${normal} ×: in time`,
      'memory',
    ],
    rows: measured.flatMap(({ title, capacity, spikes }) =>
      [false, true].map((hooked) => [
        hooked ? '' : `${title}, ${number(capacity)}/s`,
        hooked ? 'yes' : 'no',
        ...cellsOf(spikes.filter((spike) => spike.hooked === hooked)),
      ]),
    ),
    goals: [],
  };
}

function cellsOf(spikes) {
  const worst = MULTIPLES.map((multiple) => worstOf(spikes.filter((s) => s.multiple === multiple)));
  const { after, memory } = worstOf(spikes);
  return [
    ...worst.flatMap(({ answered, p99 }) => [
      answered.toFixed(2),
      answered === 0 ? '–' : `${number(p99)} ms`,
    ]),
    `${(100 * after).toFixed(0)} %`,
    `${number(memory)} MB`,
  ];
}

function worstOf(spikes) {
  const lowest = (name) => Math.min(...spikes.map((spike) => spike[name]));
  const highest = (name) => Math.max(...spikes.map((spike) => spike[name]));
  return {
    ...{ answered: lowest('answered'), p99: highest('p99') },
    ...{ after: lowest('after'), memory: highest('memory') },
  };
}
