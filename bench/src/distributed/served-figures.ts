import { quantile } from 'headgate/load';
import type { Served } from './loops.ts';

/** The results of a crowd. */
export interface ServedFigures {
  /** Acquires per second. */
  rate: number;
  /** Lease operations per acquire by kind, if the contender counts them. */
  operations: Record<string, number>;
  /** Waits in milliseconds. */
  p50: number;
  p99: number;
  longest: number;
  /** The most grants of a process divided by the fewest. */
  inequality: number;
}

/** @param duration The measured time in milliseconds. */
export function servedFigures(served: readonly Served[], duration: number): ServedFigures {
  const counts = served.map(({ waits }) => waits.length);
  const waits = served.flatMap(({ waits }) => [...waits]);
  return {
    rate: (waits.length * 1_000) / duration,
    operations: operationsEach(served, waits.length),
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
    longest: quantile(waits, 1),
    inequality: Math.max(...counts) / Math.min(...counts),
  };
}

function operationsEach(served: readonly Served[], acquires: number): Record<string, number> {
  const each: Record<string, number> = {};
  for (const { operations } of served) {
    for (const [what, count] of Object.entries(operations)) {
      each[what] = (each[what] ?? 0) + count / acquires;
    }
  }
  return each;
}
