import { eventsOf, type Log } from '../log/event.ts';
import { type Findings, timeIn } from './finding.ts';

/** No process ends unless it was killed, and none has an unhandled error. */
export function allAlive(log: Log): Findings {
  const killed = new Set(eventsOf(log, 'killed').map(({ worker }) => worker));
  const exits = eventsOf(log, 'exited').filter(({ worker }) => !killed.has(worker));
  const failures = eventsOf(log, 'failed');
  const workers = new Set(log.events.flatMap((event) => ('worker' in event ? [event.worker] : [])));
  return {
    checked: workers.size,
    broken: [
      ...exits.map(({ at, worker, how }) => `${timeIn(log, at)}: ${worker} ended: ${how}`),
      ...failures.map(({ at, worker, what }) => `${timeIn(log, at)}: ${worker}: ${what}`),
    ],
  };
}
