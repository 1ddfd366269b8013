import { type CallRecord, callRecordsOf } from '../log/call-records.ts';
import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { UnnoticedDisconnects } from '../log/unnoticed-disconnects.ts';
import { type Findings, timeIn } from './finding.ts';

/** Maximum milliseconds until a process notices that it was stopped, or that the store has lost its state. */
const MAX_REACTION_TIME = 150;

/** Every permit has a unique fencing token; at limit 1 tokens increase, except within a lease after a loss of state. */
export function risingTokens(log: Log): Findings {
  const broken: string[] = [];
  const seen = new Map<string, CallRecord>();
  let last: { token: bigint; at: number } | undefined;
  const granted = callRecordsOf(log).filter((record) => record.granted !== undefined);
  for (const record of granted.sort((a, b) => (a.granted ?? 0) - (b.granted ?? 0))) {
    const { granted: at = 0, fencing, worker, call } = record;
    const who = `${timeIn(log, at)}: ${worker}/${call}`;
    if (fencing === undefined) {
      broken.push(`${who} has no token`);
      continue;
    }
    const twin = seen.get(fencing);
    if (twin !== undefined) broken.push(`${who} has the token of ${twin.worker}/${twin.call}`);
    seen.set(fencing, record);
    const token = BigInt(fencing);
    if (log.limit === 1 && last !== undefined && token < last.token && !lostBefore(log, at)) {
      broken.push(`${who} has ${token}, below ${last.token} of ${timeIn(log, last.at)}`);
    }
    if (last === undefined || token > last.token) last = { token, at };
  }
  return { checked: granted.length, broken };
}

/**
 * The resource accepts no token lower than one that it has seen. It rejects a write only for one of these reasons: the
 * writer's process was stopped, or its signal has aborted meanwhile, or it could not notice that it was disconnected;
 * or the store had lost its state and granted the permit again. In the last case, the earlier holder keeps its permit,
 * and only the resource shows it that there is a newer holder.
 */
export function noStaleWrite(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const disconnects = new UnnoticedDisconnects(log);
  const records = new Map(
    callRecordsOf(log).map((record) => [`${record.worker}/${record.call}`, record]),
  );
  let highest = -1n;
  const rises: { token: bigint; at: number }[] = [];
  const writes = eventsOf(log, 'wrote');
  for (const { at, from, worker, call, fencing, accepted } of writes) {
    const who = `${timeIn(log, at)}: ${worker}/${call} with ${fencing}`;
    const token = BigInt(fencing ?? -1);
    if (accepted) {
      if (token < highest) broken.push(`${who} was accepted after ${highest}`);
      if (token > highest) rises.push({ token, at });
      if (token > highest) highest = token;
      continue;
    }
    const passed = rises.find((rise) => rise.token > token)?.at ?? at;
    const { ended = Infinity, aborted } = records.get(`${worker}/${call}`) ?? {};
    const stopped =
      pauses.between(worker, from - MAX_REACTION_TIME, at) || disconnects.of(worker, passed);
    if (!stopped && !(aborted && ended <= at) && !lostBefore(log, passed)) {
      broken.push(`${who} was rejected, after ${highest}, with no cause`);
    }
  }
  return { checked: writes.length, broken };
}

function lostBefore(log: Log, now: number): boolean {
  return eventsOf(log, 'lost').some(
    ({ from, at }) => from <= now && now <= at + log.lease + MAX_REACTION_TIME,
  );
}
