import { byPriority, fifo, type Order, type Priority } from '@headgate/core';
import { burst } from '../arrivals.ts';
import { answeredParts, type Crowd, type Scene } from '../crowds.ts';
import { exponential } from '../random-times.ts';
import type { Scenario } from '../scenario.ts';
import { meanBetween } from '../watch.ts';

/** With work of 100 ms, the server can do 100 a second. */
const scene: Scene = { limit: 10, queueLimit: 50, timeout: 1000, seconds: 60 };
const times = exponential(100);

const overload = { from: 10, to: 50 };

/** Calls a second under overload, five times the capacity together. Before and after it is a tenth of that. */
const calls: Readonly<Record<Priority, number>> = {
  critical: 20,
  high: 60,
  normal: 120,
  low: 200,
  sheddable: 100,
};

const crowds = Object.entries(calls).map(
  ([name, perSecond]): Crowd => ({
    name,
    work: { times, priority: name as Priority },
    rate: burst(perSecond / 10, { ...overload, perSecond }),
  }),
);

type Expected = readonly (readonly [number, number])[];

const alike: Expected = crowds.map(() => [14, 26]);
const graded: Expected = [
  [98, 100],
  [95, 100],
  [2, 20],
  [0, 8],
  [0, 4],
];

function under(name: string, order: Order, expected: Expected) {
  const lines = answeredParts(scene, crowds, order);
  const figures = Object.entries(lines).map(([priority, points], index) => ({
    what: `${name}: ${priority}`,
    measured: meanBetween(points, overload.from, overload.to),
    expected: expected[index] as [number, number],
  }));
  return { figures, panel: { title: `${name}: answered in time, per cent`, lines } };
}

export const scenario: Scenario = {
  id: 'priorities',
  name: 'Five times the capacity, of five classes: per cent of the calls answered in time',
  run() {
    const courses = [under('fifo()', fifo(), alike), under('byPriority()', byPriority(), graded)];
    return {
      figures: courses.flatMap(({ figures }) => figures),
      plot: {
        title: 'Five classes at five times the capacity',
        subtitle:
          'The server can do 100 a second, 10 at once, and 50 may wait. Clients give up after 1 s.',
        phases: [
          {
            ...overload,
            label: 'calls/s: 20 critical, 60 high, 120 normal, 200 low, 100 sheddable',
          },
        ],
        panels: courses.map(({ panel }) => panel),
      },
    };
  },
};
