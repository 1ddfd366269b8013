import { byParty, fifo, type Order } from '@headgate/core';
import { burst } from '../arrivals.ts';
import { answeredParts, type Crowd, type Scene } from '../crowds.ts';
import { exponential } from '../random-times.ts';
import type { Scenario } from '../scenario.ts';
import { meanBetween } from '../watch.ts';

/** With work of 100 ms, the server can do 100 a second. */
const scene: Scene = { limit: 10, queueLimit: 50, timeout: 1000, seconds: 60 };
const times = exponential(100);

/** One of them calls four times as often as the server can answer. */
const flood = { from: 10, to: 50, perSecond: 400 };

const crowds: readonly Crowd[] = [
  { name: 'greedy', work: { times, party: 'greedy' }, rate: burst(20, flood) },
  { name: 'modest', work: { times, party: 'modest' }, rate: 20 },
  { name: 'small', work: { times, party: 'small' }, rate: 5 },
];

type Expected = readonly [number, number];

function under(name: string, order: Order, expected: readonly Expected[]) {
  const lines = answeredParts(scene, crowds, order);
  const figures = Object.entries(lines).map(([party, points], index) => ({
    what: `${name}: ${party}`,
    measured: meanBetween(points, flood.from, flood.to),
    expected: expected[index] as Expected,
  }));
  return { figures, panel: { title: `${name}: answered in time, per cent`, lines } };
}

const alike: Expected = [15, 32];

export const scenario: Scenario = {
  id: 'parties',
  name: 'One of three calls four times as often as the server can answer: per cent answered in time',
  run() {
    const courses = [
      under('fifo()', fifo(), [alike, alike, alike]),
      under('byParty()', byParty(), [
        [10, 30],
        [98, 100],
        [98, 100],
      ]),
    ];
    return {
      figures: courses.flatMap(({ figures }) => figures),
      plot: {
        title: 'One of three asks for too much',
        subtitle:
          'The server can do 100 a second, 10 at once, and 50 may wait. Clients give up after 1 s.',
        phases: [{ ...flood, label: 'calls/s: 400 greedy, 20 modest, 5 small' }],
        panels: courses.map(({ panel }) => panel),
      },
    };
  },
};
