import { byPriority, fifo, type Order, type Priority } from '@headgate/core';
import { arrive, burst } from '../arrivals.ts';
import { Client } from '../client.ts';
import type { Point } from '../plot/plot.ts';
import { exponential } from '../random-times.ts';
import type { Scenario } from '../scenario.ts';
import { Server } from '../server.ts';
import { Gauge, meanBetween } from '../watch.ts';

/** Ten at once, 100 ms each: 100 a second. */
const capacity = 10;
const times = exponential(100);

const overload = { from: 10, to: 50 };
const seconds = 60;

/** Calls a second under overload, five times the capacity together. Before and after it is a tenth of that. */
const calls = { critical: 20, high: 60, normal: 120, low: 200, sheddable: 100 } as const;

const timeout = 1000;

/** What part of the calls of each class is answered in time, in per cent over time. */
function course(order: Order): Readonly<Record<string, readonly Point[]>> {
  const server = new Server(capacity, { limit: capacity, queueLimit: 50, order });
  const { simulation } = server;
  const parts = Object.entries(calls).map(([name, perSecond]) => {
    const work = { times, priority: name as Priority };
    const client = new Client(simulation, (answer) => server.request(work, answer), { timeout });
    const part = new Gauge(simulation, 2000);
    arrive(simulation, burst(perSecond / 10, { ...overload, perSecond }), () =>
      client.call((succeeded) => part.note(succeeded ? 100 : 0)),
    );
    return [name, part.means] as const;
  });
  simulation.run(seconds * 1000);
  return Object.fromEntries(parts);
}

const figures = (
  order: string,
  parts: ReturnType<typeof course>,
  expected: readonly (readonly [number, number])[],
) =>
  Object.entries(parts).map(([name, points], index) => ({
    what: `${order}: ${name}`,
    measured: meanBetween(points, overload.from, overload.to),
    expected: expected[index] as [number, number],
  }));

const even = Object.keys(calls).map(() => [14, 26] as const);
const graded = [
  [98, 100],
  [95, 100],
  [2, 20],
  [0, 8],
  [0, 4],
] as const;

export const scenario: Scenario = {
  id: 'priorities',
  name: 'Five times the capacity, of five classes: per cent of the calls answered in time',
  run() {
    const alike = course(fifo());
    const ranked = course(byPriority());
    return {
      figures: [...figures('fifo()', alike, even), ...figures('byPriority()', ranked, graded)],
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
        panels: [
          { title: 'fifo(): answered in time, per cent', lines: alike },
          { title: 'byPriority(): answered in time, per cent', lines: ranked },
        ],
      },
    };
  },
};
