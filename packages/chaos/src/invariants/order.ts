import { eventsOf, type Log, type Span, type Wait } from '../log/event.ts';
import { type Findings, timeIn } from './finding.ts';

/** The store counts in whole milliseconds. */
const rounding = 5;

/**
 * First in, first out, for waiters that were renewed: nobody was let in past one who waited before, and who is known to
 * have been in the line, alive, all the while. Known from what both stores were told, so that no clock and no delay
 * matters.
 */
export function inOrder(log: Log): Findings {
  const broken: string[] = [];
  let checked = 0;
  const waits = eventsOf(log, 'waited');
  const losses = eventsOf(log, 'lost');
  for (const late of waits) {
    if (late.entered === undefined) continue;
    for (const early of waits) {
      if (early === late || !stayedThrough(early, late.entered, log.certain)) continue;
      if (losses.some(({ from, at }) => touches(early, late.entered, from, at + log.lease)))
        continue;
      checked++;
      if (!isBefore(early, late)) continue;
      const passed = `${late.id} of ${late.worker} passed ${early.id} of ${early.worker}`;
      broken.push(`${timeIn(log, late.entered.to)}: ${passed}`);
    }
  }
  return { checked, broken };
}

/** Whether it was in the line from before the one was let in until after, and renewed in time. */
function stayedThrough({ seen }: Wait, { from, to }: Span, certain: number): boolean {
  let since: number | undefined;
  let until = 0;
  for (const ask of seen) {
    // From the answer on for certain, and as long as a lease is certain after the question.
    if (since === undefined || ask.to > until) since = ask.to;
    until = ask.from + certain - rounding;
    if (ask.from >= to) return since <= from;
  }
  return false;
}

function isBefore(early: Wait, late: Wait): boolean {
  if (early.place === undefined) return false;
  // What was let in at once, or before it was told its place, was asked for after the other one was known to wait.
  if (late.place === undefined) return true;
  return early.place < late.place;
}

function touches({ seen }: Wait, entered: Span | undefined, from: number, to: number): boolean {
  return from <= (entered?.to ?? 0) && to >= (seen[0]?.from ?? 0);
}
