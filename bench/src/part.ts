import type { Measurement, Plan, Results } from './runner.ts';
import type { Table } from './table.ts';

/** A lettered part of the benchmark that measures in processes: its measurements and its report. */
export interface Part {
  plan: Plan;
  measurements: Record<string, Measurement>;
  report(results: Results): Table;
}
