import type { Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Visit, visitsOf } from '../log/visits.ts';
import { type Findings, timeIn } from './finding.ts';

/** Milliseconds that an answer may come after its time, on a busy machine. */
const grace = 250;

/** Everybody is answered, and nobody waits for longer than was said: a stopped process answers when it goes on. */
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
    if (from <= due + grace && to >= wanted) due = Math.max(due, to);
  }
  return due + grace;
}
