import { invariantsFor, invariantsOfAll } from './invariants/all.ts';
import type { Findings } from './invariants/finding.ts';
import { eventsOf, type Log } from './log/event.ts';
import type { EventLog } from './log/event-log.ts';

/** The result of a round. */
export interface Report {
  /** The injected faults and observed events, in a few lines. */
  readonly text: string;
  /** How often each invariant could have been violated, over all limits. */
  readonly checked: Readonly<{ [invariant: string]: number }>;
  readonly broken: readonly string[];
  readonly eventLog: EventLog;
}

/** Maximum number of violations that are reported per invariant. */
const MAX_SHOWN = 5;

export function reportOn(eventLog: EventLog, limits: readonly number[], title: string): Report {
  const results = new InvariantResults();
  const counts: string[] = [];
  for (const limit of limits) {
    const log = eventLog.of(limit);
    for (const [name, invariant] of Object.entries(invariantsFor(limit))) {
      results.add(name, invariant(log), `${title}, limit ${limit}`);
    }
    counts.push(`limit ${limit}: ${countsOf(log)}`);
  }
  for (const [name, invariant] of Object.entries(invariantsOfAll)) {
    results.add(name, invariant(eventLog.of(0)), title);
  }
  const { checked, broken } = results;
  const faults = [...eventLog.faults()].map(([name, count]) => `${name} ${count}`).sort();
  const checks = Object.entries(checked).map(([name, count]) => `${name} ${count}`);
  const stalled = [...new Set(eventsOf(eventLog.of(0), 'stalled').map(({ worker }) => worker))];
  const lines = [
    title,
    ...counts,
    `faults: ${faults.join('; ')}`,
    `stalled: ${stalled.join('; ') || 'none'}`,
    `checks: ${checks.join('; ')}`,
  ];
  return { text: [...lines, ...broken].join('\n  '), checked, broken, eventLog };
}

class InvariantResults {
  readonly checked: { [invariant: string]: number } = {};
  readonly broken: string[] = [];

  add(name: string, { checked, broken }: Findings, where: string): void {
    this.checked[name] = (this.checked[name] ?? 0) + checked;
    if (broken.length === 0) return;
    this.broken.push(`${where}: ${name}, ${broken.length} times:`);
    this.broken.push(...broken.slice(0, MAX_SHOWN).map((what) => `    ${what}`));
  }
}

function countsOf(log: Log): string {
  const reasons = new Map<string, number>();
  const add = (what: string) => reasons.set(what, (reasons.get(what) ?? 0) + 1);
  for (const { reason } of eventsOf(log, 'rejected')) add(reason);
  for (const { aborted } of eventsOf(log, 'ended')) if (aborted) add('lost its lease');
  for (const { accepted } of eventsOf(log, 'wrote')) if (!accepted) add('write rejected');
  const rest = [...reasons].map(([what, count]) => `${count} ${what}`);
  return [`${eventsOf(log, 'granted').length} granted`, ...rest].join(', ');
}
