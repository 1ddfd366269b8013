import { eventsOf, type Log, type Span } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { Severance } from '../log/severance.ts';
import { type Visit, visitsOf } from '../log/visits.ts';
import { type Findings, timeIn } from './finding.ts';

/** Milliseconds that a process may take to notice that it was stopped, or that the state of the store was lost. */
const grace = 150;

/** The part of a lease in which all holders have renewed: a third, and a sixth where the first try fails. */
const renewed = 1 / 2;

/**
 * No grant takes the weight at work above the limit. Work counts until it ended or its permit's signal aborted. Not
 * counted is what a stopped process had at work, or one that could not know that it was disconnected. Until all holders
 * have renewed after a loss of the store's state, as much again as the limit may be at work.
 */
export function noOverlap(log: Log): Findings {
  const pauses = new Pauses(log);
  const severance = new Severance(log);
  const losses = lossesOf(log);
  const broken: string[] = [];
  let atWork: Visit[] = [];
  const grants = visitsOf(log).filter(begins).sort(byGrant);
  for (const visit of grants) {
    const now = visit.granted;
    atWork = atWork.filter(({ ended = Infinity }) => ended > now);
    atWork.push(visit);
    const counted = atWork.filter(
      (other) => !excused(pauses, other, now) && !severance.of(other.worker, now),
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

/** Where other faults may keep holders from renewing, their leases end a lease later. */
function lossesOf(log: Log): Span[] {
  const alone = eventsOf(log, 'fault').filter(({ isCostless }) => isCostless);
  return eventsOf(log, 'lost').map(({ from, at }) => {
    const isAlone = alone.some((fault) => fault.from <= at && at <= fault.at);
    return { from, to: at + log.lease * (isAlone ? renewed : 1) + grace };
  });
}

type Granted = Visit & { granted: number };

function begins(visit: Visit): visit is Granted {
  const { granted, ended = Infinity } = visit;
  return granted !== undefined && ended > granted;
}

const byGrant = (a: Granted, b: Granted) => a.granted - b.granted;

/** Its process was stopped in the middle of it, and has not had the time to notice. */
function excused(pauses: Pauses, { worker, granted = 0 }: Visit, now: number): boolean {
  return pauses
    .of(worker)
    .some(({ from, to }) => granted <= from && from <= now && now <= to + grace);
}
