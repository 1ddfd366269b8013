import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { machineClock } from '../log/watch-loop.ts';
import { type Findings, timeIn } from './finding.ts';

/**
 * One lease and one second after the last fault, the whole limit can be acquired. After its release, nothing is held or
 * queued.
 */
export function allReleased(log: Log): Findings {
  const broken: string[] = [];
  const probes = eventsOf(log, 'probed');
  const pauses = new Pauses(log);
  for (const { from, at, limit, admitted, inflight, queued } of probes) {
    // The machine was too busy to send the request in time.
    const stalled = pauses.anyBetween(from, at);
    if (admitted < limit && !stalled)
      broken.push(`${timeIn(log, at)}: ${admitted} of ${limit} could be acquired`);
    // Servers end the leases of the killed process by the machine's clock.
    const wasClockSet = pauses.between(machineClock, from, Infinity);
    if ((inflight !== 0 || queued !== 0) && !wasClockSet) {
      broken.push(`${timeIn(log, at)}: ${inflight} held and ${queued} queued after quiet`);
    }
  }
  return { checked: probes.length, broken };
}
