import { callRecordsOf } from '../log/call-records.ts';
import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { verifier } from '../log/watch-loop.ts';
import { type Findings, timeIn } from './finding.ts';

/**
 * No permit is lost without a fault, once its process has had a permit. A permit's signal may abort only if something
 * happened while the permit was held, or within a lease before its grant: a fault that may cost permits, a pause, or
 * the death of another process.
 */
export function noLossWithoutFault(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const faults = eventsOf(log, 'fault').filter(({ isLossless }) => !isLossless);
  const ends = [...eventsOf(log, 'killed'), ...eventsOf(log, 'exited')];
  const records = callRecordsOf(log).filter(({ granted }) => granted !== undefined);
  for (const { worker, call, granted = 0, ended = 0, aborted } of records) {
    if (!aborted) continue;
    const from = granted - log.lease;
    const hasFault = faults.some((fault) => fault.from <= ended && fault.at >= from);
    const hasEnd = ends.some(({ at }) => at >= from && at <= ended);
    const hasPause = [worker, verifier].some((who) => pauses.between(who, from, ended));
    if (hasFault || hasEnd || hasPause) continue;
    broken.push(`${timeIn(log, ended)}: ${worker}/${call} lost its permit without a fault`);
  }
  return { checked: records.length, broken };
}
