import { eventsOf, type Log, type Span, type Wait } from '../log/event.ts';
import { type Findings, timeIn } from './finding.ts';

/** Tolerance, because the store counts in whole milliseconds. */
const TOLERANCE = 5;

/**
 * First in, first out, for waiters that were renewed: no waiter was granted a permit before an earlier waiter that was
 * certainly alive and in the queue all that time. This is derived from the answers to both waiters, so clocks and
 * delays do not matter.
 */
export function inOrder(log: Log): Findings {
  const broken: string[] = [];
  let checked = 0;
  const waits = eventsOf(log, 'waited');
  const losses = eventsOf(log, 'lost');
  for (const next of waits) {
    if (next.entered === undefined) continue;
    for (const still of waits) {
      if (still === next) continue;
      const since = stayedSince(still, next.entered, log.certain);
      if (since === undefined) continue;
      if (losses.some(({ from, at }) => touches(still, next.entered, from, at + log.lease)))
        continue;
      const isPassed = comesBefore(still, since, next);
      if (isPassed === undefined) continue;
      checked++;
      if (!isPassed) continue;
      const passed = `${next.id} of ${next.worker} passed ${still.id} of ${still.worker}`;
      broken.push(`${timeIn(log, next.entered.to)}: ${passed}`);
    }
  }
  return { checked, broken };
}

/**
 * Returns when `wait` joined the queue. Undefined unless it was still queued, and had been renewed in time, when
 * another waiter was granted a permit.
 */
function stayedSince(
  { seen, deadline }: Wait,
  { from, to }: Span,
  certain: number,
): number | undefined {
  // The store may have removed the waiter at its deadline.
  if (to > deadline - TOLERANCE) return undefined;
  let since: number | undefined;
  let until = 0;
  for (const ask of seen) {
    // Each request keeps the waiter queued from its answer until at least `certain` milliseconds after it was sent. A gap
    // between two such spans means that the waiter may have left the queue and joined it again.
    if (since === undefined || ask.to > until) since = ask.to;
    until = ask.from + certain - TOLERANCE;
    if (ask.from >= to) return since <= from ? since : undefined;
  }
  return undefined;
}

/**
 * Compares queue positions. Without them the order is known only if one waiter was queued before the other was
 * requested.
 */
function comesBefore(still: Wait, since: number, next: Wait): boolean | undefined {
  if (still.place !== undefined && next.place !== undefined) return still.place < next.place;
  if (since <= next.asked) return true;
  return enqueuedBy(next) <= still.asked ? false : undefined;
}

function enqueuedBy({ seen, entered }: Wait): number {
  return seen[0]?.to ?? entered?.to ?? Infinity;
}

function touches({ seen }: Wait, entered: Span | undefined, from: number, to: number): boolean {
  return from <= (entered?.to ?? 0) && to >= (seen[0]?.from ?? 0);
}
