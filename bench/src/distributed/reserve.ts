import { progress } from '../runner.ts';
import { median, pairedRatios } from '../stats.ts';
import { number, type Table } from '../table.ts';
import { ours, reserving } from './contender-names.ts';
import type { DistributedPlan } from './plan.ts';
import type { Scene } from './scene.ts';

/** Compares a single caller that keeps idle permits with one that does not. */
export async function reserve(scene: Scene, plan: DistributedPlan): Promise<Table> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= plan.rounds; round++) {
    for (const contender of [ours, reserving]) {
      progress(`reserve, round ${round}: ${contender}`);
      const [worker] = await scene.workers(1, { contender });
      const alone = { duration: plan.alone, oneByOne: false };
      const pairs = await worker?.ask('sequence', alone);
      await scene.clear();
      // The first round is a warm-up.
      if (pairs && round > 0) rates.set(contender, [...(rates.get(contender) ?? []), pairs.rate]);
    }
  }
  const of = (name: string) => rates.get(name) ?? [];
  const faster = median(pairedRatios(of(reserving), of(ours)));
  return {
    title: 'A single caller, with idle permits in reserve',
    columns: ['', 'pairs/s'],
    rows: [ours, reserving].map((name) => [name, number(median(of(name)))]),
    goals: [
      {
        what: 'pairs/s relative to no reserve',
        target: 20,
        atLeast: true,
        measured: faster,
        unit: '×',
      },
    ],
  };
}
