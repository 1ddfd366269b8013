import { eventsOf, type Log } from '../log/event.ts';
import { Pauses } from '../log/pauses.ts';
import { Severance } from '../log/severance.ts';
import { type Visit, visitsOf } from '../log/visits.ts';
import { type Findings, timeIn } from './finding.ts';

/** Milliseconds that a process may take to notice that it was stopped, or that the state of the store was lost. */
const grace = 150;

/**
 * Every permit has a fencing token of its own; at limit 1 each is above those before it, but for a lease after a loss.
 */
export function risingTokens(log: Log): Findings {
  const broken: string[] = [];
  const seen = new Map<string, Visit>();
  let last: { token: bigint; at: number } | undefined;
  const granted = visitsOf(log).filter((visit) => visit.granted !== undefined);
  for (const visit of granted.sort((a, b) => (a.granted ?? 0) - (b.granted ?? 0))) {
    const { granted: at = 0, fencing, worker, call } = visit;
    const who = `${timeIn(log, at)}: ${worker}/${call}`;
    if (fencing === undefined) {
      broken.push(`${who} has no token`);
      continue;
    }
    const twin = seen.get(fencing);
    if (twin !== undefined) broken.push(`${who} has the token of ${twin.worker}/${twin.call}`);
    seen.set(fencing, visit);
    const token = BigInt(fencing);
    if (log.limit === 1 && last !== undefined && token < last.token && !lostBefore(log, at)) {
      broken.push(`${who} has ${token}, below ${last.token} of ${timeIn(log, last.at)}`);
    }
    if (last === undefined || token > last.token) last = { token, at };
  }
  return { checked: granted.length, broken };
}

/**
 * The resource takes no token below one that it has seen, and has to refuse one only of a process that was stopped, or
 * whose signal has aborted meanwhile, or that could not know that it was disconnected, or of one of two that were let
 * in when the store had lost its state: the earlier keeps its permit, and learns only here that it has been passed.
 */
export function noStaleWrite(log: Log): Findings {
  const broken: string[] = [];
  const pauses = new Pauses(log);
  const severance = new Severance(log);
  const visits = new Map(visitsOf(log).map((visit) => [`${visit.worker}/${visit.call}`, visit]));
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
    const { ended = Infinity, aborted } = visits.get(`${worker}/${call}`) ?? {};
    const stopped = pauses.between(worker, from - grace, at) || severance.of(worker, passed);
    if (!stopped && !(aborted && ended <= at) && !lostBefore(log, passed)) {
      broken.push(`${who} had to be refused, after ${highest}, with no cause`);
    }
  }
  return { checked: writes.length, broken };
}

function lostBefore(log: Log, now: number): boolean {
  return eventsOf(log, 'lost').some(({ from, at }) => from <= now && now <= at + log.lease + grace);
}
