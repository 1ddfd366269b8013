import type { Comparison, Run } from '../src/comparison.ts';
import type { Attempt } from '../src/open-loop.ts';
import { phasesOf, quickPlan } from '../src/plan.ts';
import { summarize } from '../src/summary.ts';

export const attempt = (
  due: number,
  outcome: Attempt['outcome'] = 'answered',
  took = 100,
): Attempt => ({ due, took, outcome, late: 1 });

/** `rate` attempts per second at even intervals. */
export function steady(
  from: number,
  to: number,
  rate: number,
  outcome: Attempt['outcome'] = 'answered',
): Attempt[] {
  const number = Math.round(((to - from) / 1_000) * rate);
  return Array.from({ length: number }, (_, i) => attempt(from + (i * 1_000) / rate, outcome, 0));
}

/** Two runs at a capacity of 20/s with these rates of answers during the spike. */
export function comparisonOf(bareRate: number, guardedRate: number): Comparison {
  const phases = phasesOf(quickPlan, 20);
  const [calm, spike, after] = phases;
  const run = (rate: number): Run => {
    const attempts = [
      ...steady(calm.from, calm.to, calm.rate),
      ...steady(spike.from, spike.to, rate),
      ...steady(spike.from, spike.to, spike.rate - rate, 'rejected'),
      ...steady(after.from, after.to, after.rate),
    ];
    const summary = summarize(attempts, spike, { done: 100, wasted: 25 });
    return { attempts, summary };
  };
  return {
    phases,
    capacities: [20, 20, 20],
    bare: run(bareRate),
    guarded: run(guardedRate),
  };
}
