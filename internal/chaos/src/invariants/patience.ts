import type { Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Visit, visitsOf } from '../log/visits.ts';
import { type Findings, timeIn } from './finding.ts';

/** Maximum milliseconds that an answer may be late on a busy machine. */
const TOLERANCE = 250;

/** Every call is answered, within its timeout; a stopped process answers when it continues. */
export function noneWaitsTooLong(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const gone = new Set(
    log.events.flatMap((event) =>
      event.kind === 'killed' || event.kind === 'exited' ? [event.worker] : [],
    ),
  );
  const visits = visitsOf(log);
  for (const visit of visits) {
    const { worker, call, wanted, patience, answered } = visit;
    const who = `${timeIn(log, wanted)}: ${worker}/${call}`;
    if (answered === undefined) {
      if (!gone.has(worker)) broken.push(`${who} was never answered`);
    } else if (answered > latest(visit, pauses)) {
      broken.push(`${who} waited ${(answered - wanted).toFixed(0)} ms of ${patience}`);
    }
  }
  return { checked: visits.length, broken };
}

function latest({ worker, wanted, patience }: Visit, pauses: Pauses): number {
  let due = wanted + patience;
  for (const { from, to } of pauses.of(worker)) {
    if (from <= due + TOLERANCE && to >= wanted) due = Math.max(due, to);
  }
  return due + TOLERANCE;
}
