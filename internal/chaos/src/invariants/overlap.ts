import { eventsOf, type Log, type Span } from '../log/event.ts';
import { describe, grantsOf, MAX_REACTION_TIME } from './at-work.ts';
import { type Findings, timeIn } from './finding.ts';

/** The part of a lease within which all holders renew: a third, or half of it if the first attempt fails. */
const PART_UNTIL_RENEWED = 1 / 2;

/**
 * No grant raises the weight at work above the limit. After the store has lost its state, twice the limit may be at work
 * until all holders have renewed.
 */
export function noOverlap(log: Log): Findings {
  const losses = lossesOf(log);
  const broken: string[] = [];
  const grants = grantsOf(log);
  for (const grant of grants) {
    const now = grant.record.granted;
    const lost = losses.filter(({ from, to }) => from <= now && now <= to);
    const allowed = log.limit * (1 + lost.length);
    if (grant.weight > allowed) {
      broken.push(`${timeIn(log, now)}: ${grant.weight} at work of ${allowed}: ${describe(grant)}`);
    }
  }
  return { checked: grants.length, broken };
}

/** If other faults may prevent holders from renewing, the limit may be exceeded until their leases have expired. */
function lossesOf(log: Log): Span[] {
  const alone = eventsOf(log, 'fault').filter(({ isLossless }) => isLossless);
  return eventsOf(log, 'lost').map(({ from, at }) => {
    const isAlone = alone.some((fault) => fault.from <= at && at <= fault.at);
    return { from, to: at + log.lease * (isAlone ? PART_UNTIL_RENEWED : 1) + MAX_REACTION_TIME };
  });
}
