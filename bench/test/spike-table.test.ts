import { expect, it } from 'vitest';
import { spikePlan } from '../src/overload/plan.ts';
import { spikeTable } from '../src/overload/spike-table.ts';

it('compares the worst of the runs with that of the right limit in the same place', () => {
  const spikes = new Map([
    [
      'headgate in front',
      [
        { answered: 0.9, p99: 300 },
        { answered: 1, p99: 400 },
      ],
    ],
    ['headgate in front, right limit', [{ answered: 1, p99: 200 }]],
  ]);
  const table = spikeTable({ resource: 'pool', capacities: [285, 270], spikes }, spikePlan);
  expect(table.title).toContain('285/s (270–285)');
  expect(table.rows[0]).toEqual(['headgate in front', '0.90, 300', '1.00, 400', '0.90, 400']);
  expect(table.goals.map(({ measured }) => measured)).toEqual([expect.closeTo(0.1), 2]);
});
