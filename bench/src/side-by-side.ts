import { failure, figures, type Results } from './runner.ts';
import { median, pairedRatios } from './stats.ts';
import { type Goal, number } from './table.ts';

/** The median of the ratios within each round: a temporary slowdown affects both sides of a ratio. */
export function ratio(results: Results, figure: string, name: string, over: string): number {
  return median(pairedRatios(figures(results, name, figure), figures(results, over, figure)));
}

/** Makes goals for the ratio of two measurements. */
export const ratioGoals =
  (results: Results, figure: string) =>
  (what: string, name: string, over: string, target: number): Goal => ({
    what,
    target,
    measured: ratio(results, figure, name, over),
    unit: '×',
  });

/** Makes a goal for a figure itself. */
export function plainGoal(
  results: Results,
  [name, figure]: readonly [name: string, figure: string],
  goal: Pick<Goal, 'what' | 'target' | 'unit'>,
): Goal {
  return { ...goal, measured: median(figures(results, name, figure)) };
}

/** The median of a figure, or the error message if there is none. */
export function cell(results: Results, name: string, figure: string): string {
  return failure(results, name) ?? number(median(figures(results, name, figure)));
}

export function ratioCell(results: Results, figure: string, name: string, over: string): string {
  return number(ratio(results, figure, name, over));
}
