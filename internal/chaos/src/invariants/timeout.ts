import { type CallRecord, callRecordsOf } from '../log/call-records.ts';
import type { Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Findings, timeIn } from './finding.ts';

/** Maximum milliseconds that an answer may be late on a busy machine. */
const TOLERANCE = 250;

/** Every call is answered, within its timeout; a stopped process answers when it continues. */
export function noLateAnswers(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const gone = new Set(
    log.events.flatMap((event) =>
      event.kind === 'killed' || event.kind === 'exited' ? [event.worker] : [],
    ),
  );
  const records = callRecordsOf(log);
  for (const record of records) {
    const { worker, call, requested, queueTimeout, answered } = record;
    const who = `${timeIn(log, requested)}: ${worker}/${call}`;
    if (answered === undefined) {
      if (!gone.has(worker)) broken.push(`${who} was never answered`);
    } else if (answered > latest(record, pauses)) {
      broken.push(`${who} waited ${(answered - requested).toFixed(0)} ms of ${queueTimeout}`);
    }
  }
  return { checked: records.length, broken };
}

function latest({ worker, requested, queueTimeout }: CallRecord, pauses: Pauses): number {
  let due = requested + queueTimeout;
  for (const { from, to } of pauses.of(worker)) {
    if (from <= due + TOLERANCE && to >= requested) due = Math.max(due, to);
  }
  return due + TOLERANCE;
}
