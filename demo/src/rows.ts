import { type Comparison, capacityOf, type Run } from './comparison.ts';
import { count, duration, percent, perSecond, seconds, share } from './format.ts';
import { clientTimeout } from './plan.ts';

export interface Row {
  readonly label: string;
  readonly bare: string;
  readonly guarded: string;
  /** Whether the row explains the one above it. */
  readonly detail?: boolean;
}

/** The table shown in the terminal and on the page. */
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
    row('Answered in time', ({ summary: s }) => count(s.answered) + share(s.answered, s.sent)),
    row(
      `per second, of its capacity of ${perSecond(capacity)}`,
      ({ summary }) => `${perSecond(summary.rate)} (${percent(summary.rate / capacity)})`,
      true,
    ),
    row('in its worst second', ({ summary }) => percent(summary.worstRate / capacity), true),
    row('Wait, median (p50)', ({ summary }) => waited(summary.p50)),
    row('Wait, 99th percentile (p99)', ({ summary }) => waited(summary.p99)),
    row('Rejected (503)', ({ summary: s }) => count(s.rejected) + share(s.rejected, s.sent)),
    row('after (median)', ({ summary }) => timeToReject(summary.rejectedAfter), true),
    row(
      `Gave up after ${seconds(clientTimeout)}`,
      ({ summary: s }) => count(s.gaveUp) + share(s.gaveUp, s.sent),
    ),
    row(
      'Wasted work: answers to clients that gave up',
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

const timeToReject = (time: number | undefined) => (time === undefined ? '–' : duration(time));

function recovered(time: number | undefined, { phases }: Comparison): string {
  const { from, to } = phases[2];
  return time === undefined ? `not within ${seconds(to - from)}` : duration(time);
}
