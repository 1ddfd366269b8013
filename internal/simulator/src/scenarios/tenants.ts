import { fair, fifo } from '@headgate/core';
import { burst } from '../arrivals.ts';
import { type ClientGroup, compareOrders, type Experiment } from '../compare-orders.ts';
import type { Scenario } from '../scenario.ts';

/** One tenant calls at four times the server's capacity. */
const flood = { from: 10, to: 50, perSecond: 400 };

const experiment: Experiment = {
  limit: 10,
  queueLimit: 50,
  time: 100,
  timeout: 1000,
  overload: flood,
  seconds: 60,
};

const groups: readonly ClientGroup[] = [
  { name: 'greedy', fairBy: 'greedy', rate: burst(20, flood) },
  { name: 'modest', fairBy: 'modest', rate: 20 },
  { name: 'small', fairBy: 'small', rate: 5 },
];

const alike = [15, 32] as const;

export const scenario: Scenario = {
  id: 'tenants',
  name: 'One of three tenants calls four times as often as the server can answer: per cent answered in time',
  run() {
    const { figures, plot } = compareOrders(experiment, groups, {
      'fifo()': { order: fifo(), expected: { greedy: alike, modest: alike, small: alike } },
      'fair()': {
        order: fair(),
        expected: { greedy: [10, 30], modest: [98, 100], small: [98, 100] },
      },
    });
    return {
      figures,
      plot: {
        ...plot,
        title: 'One of three tenants calls too often',
        phases: [{ ...flood, label: 'calls/s: 400 greedy, 20 modest, 5 small' }],
      },
    };
  },
};
