import type { Measurement, Results, Sampling } from './runner.ts';
import type { Table } from './table.ts';

/** A lettered part of the benchmark that measures in processes: its measurements and its report. */
export interface Part {
  sampling: Sampling;
  measurements: Record<string, Measurement>;
  report(results: Results): Table;
}
