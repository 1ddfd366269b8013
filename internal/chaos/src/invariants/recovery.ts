import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Findings, timeIn } from './finding.ts';

/** Additional milliseconds allowed on a busy machine. */
const TOLERANCE = 250;

/** If there is no other fault, the permits of a dead process are available to others within `maxRecovery` milliseconds. */
export function deadProcessesRecovered(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const found = eventsOf(log, 'recovered');
  for (const { from, at, admitted } of found) {
    const inTime = admitted && at - from <= log.maxRecovery + TOLERANCE;
    if (inTime || pauses.anyBetween(from, at)) continue;
    const what = admitted ? `available only ${(at - from).toFixed(0)} ms later` : 'never available';
    broken.push(`${timeIn(log, from)}: the permit of a killed process was ${what}`);
  }
  return { checked: found.length, broken };
}
