import { shownValue } from '../goal.ts';
import { orders } from '../orders.ts';
import type { Result, Row } from '../row.ts';
import type { Trial } from '../trial.ts';
import { row as belowCapacity } from './below-capacity.ts';
import { row as bursts } from './bursts.ts';
import { row as clientTimeouts } from './client-timeouts.ts';

const rows = [belowCapacity, clientTimeouts, bursts];

export const row: Row = {
  id: 'orders',
  name: 'Queue orders',
  description: 'Three of the sections above with each queue order. It has no goals of its own.',
  async measure(trial) {
    const compared = await Promise.all(rows.map((each) => compare(each, trial)));
    return {
      goals: [],
      table: {
        head: ['', ...Object.keys(orders).map((name) => `\`${name}()\``)],
        rows: compared.flat(),
      },
    };
  },
};

/** For each goal of the row, what each order reaches. */
async function compare({ name, measure }: Row, trial: Trial): Promise<string[][]> {
  const results: Result[] = [];
  for (const order of Object.values(orders)) results.push(await measure({ ...trial, order }));
  const [{ goals } = { goals: [] }] = results;
  return goals.map(({ what, unit }) => {
    const reached = results.flatMap((result) => result.goals.filter((goal) => goal.what === what));
    return [`${name}: ${what}, ${unit}`, ...reached.map(shownValue)];
  });
}
