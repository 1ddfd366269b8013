import { type Comparison, capacityOf, type Run } from './comparison.ts';
import { count, duration, percent, perSecond, seconds, share } from './format.ts';
import { patience } from './plan.ts';

export interface Row {
  readonly label: string;
  readonly bare: string;
  readonly guarded: string;
  /** Whether it explains the row above it. */
  readonly detail?: boolean;
}

/** The table in the terminal and on the page. */
export function rowsOf(comparison: Comparison): Row[] {
  const { bare, guarded } = comparison;
  const capacity = capacityOf(comparison);
  const row = (label: string, show: (run: Run) => string, detail = false): Row => ({
    label,
    bare: show(bare),
    guarded: show(guarded),
    detail,
  });
  const rows = [
    row('Answered in time', ({ summary }) => perSecond(summary.rate)),
    row(
      `of its capacity of ${perSecond(capacity)}`,
      ({ summary }) => percent(summary.rate / capacity),
      true,
    ),
    row('in its worst second', ({ summary }) => percent(summary.worstRate / capacity), true),
    row('Half waited at most (p50)', ({ summary }) => waited(summary.p50)),
    row('99 of 100 waited at most (p99)', ({ summary }) => waited(summary.p99)),
    row('Rejected (503)', ({ summary: s }) => count(s.rejected) + share(s.rejected, s.asked)),
    row('rejected within', ({ summary }) => rejectionTime(summary.rejectedAfter), true),
    row(
      `Gave up after ${seconds(patience)}`,
      ({ summary: s }) => count(s.gaveUp) + share(s.gaveUp, s.asked),
    ),
    row(
      'Wasted work in total: clients had given up',
      ({ summary: s }) => count(s.wasted) + share(s.wasted, s.done),
    ),
    row('Time to recover', ({ summary }) => recovered(summary.recovery, comparison)),
  ];
  if (bare.summary.failed + guarded.summary.failed > 0) {
    rows.push(row('Failed otherwise', ({ summary }) => count(summary.failed)));
  }
  return rows;
}

const waited = (time: number) => (Number.isFinite(time) ? duration(time) : 'gave up');

const rejectionTime = (time: number | undefined) => (time === undefined ? '–' : duration(time));

function recovered(time: number | undefined, { phases }: Comparison): string {
  const { from, to } = phases[2];
  return time === undefined ? `not within ${seconds(to - from)}` : duration(time);
}
