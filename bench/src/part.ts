import type { Measurement, Plan, Results } from './runner.ts';
import type { Table } from './table.ts';

/** One lettered part of the bench that measures in processes: what they measure, what it says. */
export interface Part {
  plan: Plan;
  measurements: Record<string, Measurement>;
  report(results: Results): Table;
}
