import { type CallRecord, callRecordsOf } from '../log/call-records.ts';
import { eventsOf, type Log, type Span } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { UnnoticedDisconnects } from '../log/unnoticed-disconnects.ts';
import { type Findings, timeIn } from './finding.ts';

/** Maximum milliseconds until a process notices that it was stopped, or that the store has lost its state. */
const MAX_REACTION_TIME = 150;

/** The part of a lease within which all holders renew: a third, and a sixth more if the first attempt fails. */
const PART_UNTIL_RENEWED = 1 / 2;

/**
 * No grant raises the weight at work above the limit. Work counts until it ended or its permit's signal aborted. Work
 * of a process that was stopped, or that could not notice that it was disconnected, does not count. After the store has
 * lost its state, twice the limit may be at work until all holders have renewed.
 */
export function noOverlap(log: Log): Findings {
  const pauses = new Pauses(log);
  const disconnects = new UnnoticedDisconnects(log);
  const losses = lossesOf(log);
  const broken: string[] = [];
  let atWork: CallRecord[] = [];
  const grants = callRecordsOf(log).filter(begins).sort(byGrant);
  for (const record of grants) {
    const now = record.granted;
    atWork = atWork.filter(({ ended = Infinity }) => ended > now);
    atWork.push(record);
    const counted = atWork.filter(
      (other) => !excused(pauses, other, now) && !disconnects.of(other.worker, now),
    );
    const weight = counted.reduce((sum, other) => sum + other.weight, 0);
    const lost = losses.filter(({ from, to }) => from <= now && now <= to);
    const allowed = log.limit * (1 + lost.length);
    if (weight > allowed) {
      const who = counted.map(({ worker, call, weight: part }) => `${worker}/${call}×${part}`);
      broken.push(`${timeIn(log, now)}: ${weight} at work of ${allowed}: ${who.join(', ')}`);
    }
  }
  return { checked: grants.length, broken };
}

/** If other faults may keep holders from renewing, the limit may be exceeded until their leases have expired. */
function lossesOf(log: Log): Span[] {
  const alone = eventsOf(log, 'fault').filter(({ isLossless }) => isLossless);
  return eventsOf(log, 'lost').map(({ from, at }) => {
    const isAlone = alone.some((fault) => fault.from <= at && at <= fault.at);
    return { from, to: at + log.lease * (isAlone ? PART_UNTIL_RENEWED : 1) + MAX_REACTION_TIME };
  });
}

type Granted = CallRecord & { granted: number };

function begins(record: CallRecord): record is Granted {
  const { granted, ended = Infinity } = record;
  return granted !== undefined && ended > granted;
}

const byGrant = (a: Granted, b: Granted) => a.granted - b.granted;

/** Whether its process was stopped during the work and has not had the time to notice. */
function excused(pauses: Pauses, { worker, granted = 0 }: CallRecord, now: number): boolean {
  return pauses
    .of(worker)
    .some(({ from, to }) => granted <= from && from <= now && now <= to + MAX_REACTION_TIME);
}
