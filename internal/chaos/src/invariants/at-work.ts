import { type CallRecord, callRecordsOf } from '../log/call-records.ts';
import type { Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { UnnoticedDisconnects } from '../log/unnoticed-disconnects.ts';

/** Maximum milliseconds until a process notices that it was stopped, or that the store has lost its state. */
export const MAX_REACTION_TIME = 150;

type Granted = CallRecord & { granted: number };

/** A call that was granted, and all calls that were at work then, including itself. */
interface Grant {
  readonly record: Granted;
  readonly atWork: readonly CallRecord[];
  readonly weight: number;
}

/**
 * Returns each grant, in order. Work counts until it has ended or its permit's signal has aborted. The work of a
 * process does not count while the process was stopped, or could not notice that it was disconnected.
 */
export function grantsOf(log: Log): Grant[] {
  const pauses = new Pauses(log);
  const disconnects = new UnnoticedDisconnects(log);
  let working: CallRecord[] = [];
  return callRecordsOf(log)
    .filter(begins)
    .sort((a, b) => a.granted - b.granted)
    .map((record) => {
      const now = record.granted;
      working = working.filter(({ ended = Infinity }) => ended > now);
      working.push(record);
      const atWork = working.filter(
        (other) => !excused(pauses, other, now) && !disconnects.of(other.worker, now),
      );
      return { record, atWork, weight: atWork.reduce((sum, other) => sum + other.weight, 0) };
    });
}

/** The calls at work, for the description of a violation. */
export function describe({ atWork }: Grant): string {
  return atWork.map(({ worker, call, weight }) => `${worker}/${call}×${weight}`).join(', ');
}

function begins(record: CallRecord): record is Granted {
  const { granted, ended = Infinity } = record;
  return granted !== undefined && ended > granted;
}

/** Whether the call's process was stopped during the work and has not had the time to notice. */
function excused(pauses: Pauses, { worker, granted = 0 }: CallRecord, now: number): boolean {
  return pauses
    .of(worker)
    .some(({ from, to }) => granted <= from && from <= now && now <= to + MAX_REACTION_TIME);
}
