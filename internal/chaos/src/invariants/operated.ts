import { type CallRecord, callRecordsOf } from '../log/call-records.ts';
import { type CertainState, certainStates } from '../log/certain-states.ts';
import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Findings, timeIn } from './finding.ts';

/**
 * If a call begins while the limit is paused or rejecting, the store does not grant it before the limit is open again.
 */
export function noGrantWhileClosed(log: Log): Findings {
  const broken: string[] = [];
  const records = callRecordsOf(log);
  const closed = certainStates(log).filter(({ operated }) => operated.status !== 'open');
  let checked = 0;
  for (const state of closed) {
    const began = records.filter(({ requested }) => requested >= state.from);
    checked += began.filter(({ requested }) => requested <= state.to).length;
    for (const record of began.filter((record) => isGrantedIn(state, record))) {
      const who = `${record.worker}/${record.call}`;
      const { status } = state.operated;
      broken.push(
        `${timeIn(log, record.granted ?? 0)}: ${who} was granted, ${status} since ${timeIn(log, state.from)}`,
      );
    }
  }
  return { checked, broken };
}

/** Without a fault, no call is rejected that begins and ends in shadow mode. */
export function noRejectionInShadowMode(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const faults = eventsOf(log, 'fault');
  const shadow = certainStates(log).filter(({ operated }) => {
    return operated.status === 'open' && operated.mode === 'shadow';
  });
  let checked = 0;
  for (const record of callRecordsOf(log)) {
    const { requested, answered = Infinity, reason, worker, call } = record;
    if (!shadow.some(({ from, to }) => from <= requested && answered <= to)) continue;
    checked++;
    if (reason === undefined || pauses.anyBetween(requested, answered)) continue;
    if (faults.some(({ from, at }) => from <= answered && at >= requested - log.lease)) continue;
    broken.push(
      `${timeIn(log, requested)}: ${worker}/${call} was rejected (${reason}) in shadow mode`,
    );
  }
  return { checked, broken };
}

/** Each process knows how the limit is operated, once it can reach the store and has made a call. */
export function allAgree(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const known = eventsOf(log, 'known');
  for (const { at, from, worker, comparison, known: own, expected } of known) {
    const others = known.filter((other) => other.comparison === comparison);
    if (others.some((other) => pauses.anyBetween(other.from - log.lease, other.at))) continue;
    const first = expected ?? others[0]?.known;
    if (own === first) continue;
    broken.push(
      `${timeIn(log, at)}: ${worker} knows "${own}" since ${timeIn(log, from)}, not "${first}"`,
    );
  }
  return { checked: known.length, broken };
}

function isGrantedIn({ from, to }: CertainState, { requested, granted, fencing }: CallRecord) {
  // A permit without a token was granted without the store, as shadow mode does in an outage.
  return requested >= from && granted !== undefined && granted <= to && fencing !== undefined;
}
