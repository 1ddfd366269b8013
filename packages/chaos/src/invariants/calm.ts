import { eventsOf, type Log, type Span } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Visit, visitsOf } from '../log/visits.ts';
import { verifier } from '../log/watch-loop.ts';
import { type Findings, timeIn } from './finding.ts';

/** Milliseconds from a permit's return to the next grant, on a busy machine. */
const grace = 500;

/** While all is well, no lease is lost, no store is at fault, and those who wait are let in one after the other. */
export function calmIsQuiet(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const visits = visitsOf(log);
  const spans = eventsOf(log, 'calm').map(({ from, at }) => ({ from, to: at }));
  for (const span of spans) {
    if (pauses.between(verifier, span.from, span.to)) continue;
    const inside = (at: number | undefined) => at !== undefined && at > span.from && at <= span.to;
    for (const { worker, call, answered, reason, ended, aborted } of visits) {
      const who = `${worker}/${call}`;
      if (pauses.between(worker, span.from, span.to)) continue;
      if (inside(answered) && reason?.startsWith('store')) {
        broken.push(`${timeIn(log, answered ?? 0)}: ${who} was rejected (${reason}) with no cause`);
      }
      if (inside(ended) && aborted) {
        broken.push(`${timeIn(log, ended ?? 0)}: ${who} lost its lease with no cause`);
      }
    }
    const idle = longestIdle(span, visits);
    if (idle > grace) {
      broken.push(
        `${timeIn(log, span.from)}: for ${idle.toFixed(0)} ms all waited and none worked`,
      );
    }
  }
  return { checked: spans.length, broken };
}

/** The longest time for which somebody waited and nobody was at work. */
function longestIdle(span: Span, visits: readonly Visit[]): number {
  const steps = visits.flatMap(({ wanted, answered = span.to, granted, ended = span.to }) => [
    { at: wanted, waiting: 1, working: 0 },
    { at: answered, waiting: -1, working: granted === undefined ? 0 : 1 },
    ...(granted === undefined ? [] : [{ at: ended, waiting: 0, working: -1 }]),
  ]);
  let [longest, waiting, working] = [0, 0, 0];
  let idleFrom: number | undefined;
  for (const step of steps.sort((a, b) => a.at - b.at)) {
    const now = Math.min(Math.max(step.at, span.from), span.to);
    if (idleFrom !== undefined) longest = Math.max(longest, now - idleFrom);
    waiting += step.waiting;
    working += step.working;
    if (waiting === 0 || working > 0) idleFrom = undefined;
    else idleFrom ??= now;
  }
  return longest;
}
