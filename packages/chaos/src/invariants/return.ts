import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Findings, timeIn } from './finding.ts';

/**
 * A lease and a second after the last fault, all of the limit can be had at once; and nothing is left when it is back.
 */
export function allComeBack(log: Log): Findings {
  const broken: string[] = [];
  const probes = eventsOf(log, 'probed');
  const pauses = new Pauses(log);
  for (const { from, at, limit, admitted, inflight, queued } of probes) {
    // A machine too busy to ask in time.
    const stalled = pauses.anybody(from, at);
    if (admitted < limit && !stalled)
      broken.push(`${timeIn(log, at)}: ${admitted} of ${limit} could be had`);
    if (inflight !== 0 || queued !== 0) {
      broken.push(`${timeIn(log, at)}: ${inflight} are held and ${queued} wait after quiet`);
    }
  }
  return { checked: probes.length, broken };
}
