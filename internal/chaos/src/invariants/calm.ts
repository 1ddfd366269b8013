import { type CallRecord, callRecordsOf } from '../log/call-records.ts';
import { eventsOf, type Log, type Span } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { server, verifier } from '../log/watch-loop.ts';
import { type Findings, timeIn } from './finding.ts';

/** Maximum milliseconds from a release to the next grant on a busy machine. */
const MAX_HANDOVER_TIME = 500;

/**
 * Without faults, no lease is lost, no call is rejected by the store, and waiters are granted permits one after the
 * other.
 */
export function noDisturbance(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const records = callRecordsOf(log);
  const spans = eventsOf(log, 'calm').map(({ from, at }) => ({ from, to: at }));
  for (const span of spans) {
    if ([verifier, server].some((name) => pauses.between(name, span.from, span.to))) continue;
    const inside = (at: number | undefined) => at !== undefined && at > span.from && at <= span.to;
    for (const { worker, call, answered, reason, ended, aborted } of records) {
      const who = `${worker}/${call}`;
      if (pauses.between(worker, span.from, span.to)) continue;
      if (inside(answered) && reason?.startsWith('store')) {
        broken.push(`${timeIn(log, answered ?? 0)}: ${who} was rejected (${reason}) with no cause`);
      }
      if (inside(ended) && aborted) {
        broken.push(`${timeIn(log, ended ?? 0)}: ${who} lost its lease with no cause`);
      }
    }
    const idle = longestIdle(span, records);
    if (idle > MAX_HANDOVER_TIME) {
      broken.push(`for ${idle.toFixed(0)} ms callers waited and none worked`);
    }
  }
  return { checked: spans.length, broken };
}

/** The longest time during which there were waiters and no work. */
function longestIdle(span: Span, records: readonly CallRecord[]): number {
  const steps = records.flatMap(({ requested, answered = span.to, granted, ended = span.to }) => [
    { at: requested, waiting: 1, working: 0 },
    { at: answered, waiting: -1, working: granted === undefined ? 0 : 1 },
    ...(granted === undefined ? [] : [{ at: ended, waiting: 0, working: -1 }]),
  ]);
  let longest = 0;
  let waiting = 0;
  let working = 0;
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
