import { quantile } from 'headgate/load';
import { ours } from '../distributed/contender-names.ts';
import type { DistributedPlan } from '../distributed/plan.ts';
import { measureWakes } from '../distributed/wakes.ts';
import { median } from '../stats.ts';
import { number, type Table } from '../table.ts';
import { PostgresScene } from './scene.ts';

/** Measures how soon a waiter in another process is granted after a release. */
export async function wake(plan: DistributedPlan): Promise<Table> {
  const all = await PostgresScene.during((scene) => measureWakes(scene, [ours], plan));
  const { wakes, pings } = all.get(ours) ?? { wakes: [], pings: [] };
  const p50 = median(wakes);
  const p99 = quantile(wakes, 0.99);
  return {
    title: 'Time from a release to the next grant in another process',
    columns: ['', 'median, ms', 'p99, ms', 'SELECT 1, ms'],
    rows: [[ours, number(p50), number(p99), number(median(pings))]],
    goals: [
      { what: 'median wake', target: 10, measured: p50, unit: 'ms' },
      { what: 'p99 wake', target: 50, measured: p99, unit: 'ms' },
    ],
    notes: [
      'SELECT 1 is the median round trip of the waiter if it pauses before each query for as long as before a release.',
    ],
  };
}
