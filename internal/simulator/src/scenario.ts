import type { Plot } from './plot/plot.ts';

/** A result of a simulation. */
export interface Figure {
  readonly what: string;
  /** The figure's column, if the table has several. Its row is `what`. */
  readonly column?: string | undefined;
  /** The value that another project has published, if any. */
  readonly published?: string | undefined;
  readonly measured: number;
  /** The expected range. A value outside of it is a defect. */
  readonly expected: readonly [number, number];
  /** The range that the project aims at, if it has not been reached yet. A page marks values outside of it. */
  readonly goal?: readonly [number, number] | undefined;
}

export interface Report {
  readonly figures: readonly Figure[];
  readonly plot?: Plot;
}

/** A simulation that can be run, copied and changed. */
export interface Scenario {
  /** The name of its file and of its plot. */
  readonly id: string;
  readonly name: string;
  /** The source of the published figures, if any. */
  readonly source?: string;
  run(): Report;
}

export function figure(
  what: string,
  measured: number,
  expected: readonly [number, number],
  column?: string,
  goal?: readonly [number, number],
): Figure {
  return { what, column, measured, expected, goal };
}

export function holds({ measured, expected: [min, max] }: Figure): boolean {
  return measured >= min && measured <= max;
}

/** Formats the value, with one decimal below a thousand unless it is whole. */
export function shown({ measured }: Figure): string {
  if (measured === Infinity) return 'never';
  const isWhole = Math.abs(measured - Math.round(measured)) < 0.001;
  return measured.toFixed(isWhole || measured >= 1000 ? 0 : 1);
}
