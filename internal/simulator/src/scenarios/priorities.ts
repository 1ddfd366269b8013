import { byPriority, fifo, type Priority } from '@headgate/core';
import { burst } from '../arrivals.ts';
import { type ClientGroup, compareOrders, type Experiment } from '../compare-orders.ts';
import type { Scenario } from '../scenario.ts';

const overload = { from: 10, to: 50 };

const experiment: Experiment = {
  limit: 10,
  queueLimit: 20,
  time: 100,
  timeout: 1000,
  overload,
  seconds: 60,
};

/** Calls per second during the overload: in total five times the capacity. Before and after it, a tenth of that. */
const calls = { critical: 20, high: 60, normal: 120, low: 200, sheddable: 100 };

const groups = Object.entries(calls).map(
  ([name, perSecond]): ClientGroup => ({
    name,
    priority: name as Priority,
    rate: burst(perSecond / 10, { ...overload, perSecond }),
  }),
);

const alike = [14, 26] as const;

export const scenario: Scenario = {
  id: 'priorities',
  name: 'Five priority classes at five times the capacity: percentage of calls answered in time',
  run() {
    const { figures, plot } = compareOrders(experiment, groups, {
      'fifo()': {
        order: fifo(),
        expected: { critical: alike, high: alike, normal: alike, low: alike, sheddable: alike },
      },
      'byPriority()': {
        order: byPriority(),
        expected: {
          critical: [98, 100],
          high: [95, 100],
          normal: [10, 25],
          low: [0, 8],
          sheddable: [0, 4],
        },
      },
    });
    return {
      figures,
      plot: {
        ...plot,
        title: 'Five priority classes at five times the capacity',
        phases: [
          {
            ...overload,
            label: 'calls/s: 20 critical, 60 high, 120 normal, 200 low, 100 sheddable',
          },
        ],
      },
    };
  },
};
