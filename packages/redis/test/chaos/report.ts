import { invariants } from './invariants/all.ts';
import { eventsOf } from './log/event.ts';
import type { Record } from './log/record.ts';

/** What a round showed. */
export interface Report {
  /** What was done and seen, in a few lines. */
  readonly text: string;
  /** How often each invariant could have been broken, over all limits. */
  readonly checked: Readonly<{ [invariant: string]: number }>;
  readonly broken: readonly string[];
}

/** Of each invariant, so many violations are told. */
const told = 5;

export function reportOn(record: Record, limits: readonly number[], title: string): Report {
  const broken: string[] = [];
  const checked: { [invariant: string]: number } = {};
  const counts: string[] = [];
  for (const limit of limits) {
    const log = record.of(limit);
    for (const [name, invariant] of Object.entries(invariants)) {
      const findings = invariant(log);
      checked[name] = (checked[name] ?? 0) + findings.checked;
      const { length } = findings.broken;
      if (length === 0) continue;
      broken.push(`${title}: limit ${limit}: ${name}, ${length} times:`);
      broken.push(...findings.broken.slice(0, told).map((what) => `    ${what}`));
    }
    counts.push(`limit ${limit}: ${countsOf(record, limit)}`);
  }
  const faults = [...record.faults()].map(([name, count]) => `${name} ${count}`).sort();
  const checks = Object.entries(checked).map(([name, count]) => `${name} ${count}`);
  const lines = [title, ...counts, `faults: ${faults.join('; ')}`, `checks: ${checks.join('; ')}`];
  return { text: [...lines, ...broken].join('\n  '), checked, broken };
}

function countsOf(record: Record, limit: number): string {
  const log = record.of(limit);
  const reasons = new Map<string, number>();
  const add = (what: string) => reasons.set(what, (reasons.get(what) ?? 0) + 1);
  for (const { reason } of eventsOf(log, 'rejected')) add(reason);
  for (const { aborted } of eventsOf(log, 'ended')) if (aborted) add('lost its lease');
  for (const { accepted } of eventsOf(log, 'wrote')) if (!accepted) add('write refused');
  const rest = [...reasons].map(([what, count]) => `${count} ${what}`);
  return [`${eventsOf(log, 'granted').length} granted`, ...rest].join(', ');
}
