import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { type Findings, timeIn } from './finding.ts';

/** Milliseconds that it may take longer, on a busy machine. */
const grace = 250;

/** Where all else is well, others have what a process held that has died as soon as the store says. */
export function theDeadAreInherited(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const found = eventsOf(log, 'inherited');
  for (const { from, at, admitted } of found) {
    if (pauses.anybody(from, at) || (admitted && at - from <= log.back + grace)) continue;
    const what = admitted ? `only ${(at - from).toFixed(0)} ms later` : 'not at all';
    broken.push(`${timeIn(log, from)}: what a killed process held could be had ${what}`);
  }
  return { checked: found.length, broken };
}
