import type { Plot } from './plot/plot.ts';

/** A number that a simulation has come to. */
export interface Figure {
  readonly what: string;
  /** Which column it is in, where a table has several; `what` is its row. */
  readonly column?: string | undefined;
  /** What others have published of theirs. Default: nobody has. */
  readonly published?: string | undefined;
  readonly measured: number;
  /** From and to. */
  readonly expected: readonly [number, number];
}

export interface Report {
  readonly figures: readonly Figure[];
  readonly plot?: Plot;
}

/** A simulation to be run, copied and changed. */
export interface Scenario {
  /** That of its file, and of its plot's. */
  readonly id: string;
  readonly name: string;
  /** Who has published the figures. Default: nobody has. */
  readonly source?: string;
  run(): Report;
}

export function figure(
  what: string,
  measured: number,
  expected: readonly [number, number],
  column?: string,
): Figure {
  return { what, column, measured, expected };
}

export function holds({ measured, expected: [least, most] }: Figure): boolean {
  return measured >= least && measured <= most;
}

/** As people read it: tenths below a thousand, where there are any. */
export function shown({ measured }: Figure): string {
  if (measured === Infinity) return 'never';
  const isWhole = Math.abs(measured - Math.round(measured)) < 0.001;
  return measured.toFixed(isWhole || measured >= 1000 ? 0 : 1);
}
