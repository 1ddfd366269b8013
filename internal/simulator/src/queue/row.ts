import type { Goal } from './goal.ts';
import type { Trial } from './trial.ts';

/** What must hold in one situation. */
export interface Row {
  /** Its name on the command line. */
  readonly id: string;
  /** Its heading on the page. */
  readonly name: string;
  readonly description: string;
  measure(trial: Trial): Result | Promise<Result>;
}

export interface Result {
  readonly goals: readonly Goal[];
  /** Figures without a goal. */
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly string[][] };
}
