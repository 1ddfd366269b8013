import type { Log } from './event.ts';

/** A call, from its request to its end. */
export interface Visit {
  readonly worker: string;
  readonly call: number;
  readonly weight: number;
  readonly wanted: number;
  /** Its queue timeout in milliseconds. */
  readonly patience: number;
  /** When it was granted, rejected or withdrawn; undefined if it never was. */
  answered?: number;
  granted?: number;
  fencing?: string | undefined;
  /** When its work ended; at the latest when its process did. */
  ended?: number;
  aborted?: boolean;
  reason?: string;
}

/** In the order of their requests. The end of a process ends the work of its calls. */
export function visitsOf(log: Log): Visit[] {
  const visits = new Map<string, Visit>();
  for (const event of log.events) {
    if (event.kind === 'killed' || event.kind === 'exited') {
      for (const visit of visits.values())
        if (visit.worker === event.worker) visit.ended ??= event.at;
    } else if ('call' in event) {
      follow(visits, event);
    }
  }
  return [...visits.values()];
}

function follow(
  visits: Map<string, Visit>,
  event: Extract<Log['events'][number], { call: number }>,
) {
  const { worker, call, at } = event;
  const id = `${worker}/${call}`;
  if (event.kind === 'wanted') {
    const { weight, patience } = event;
    visits.set(id, { worker, call, weight, patience, wanted: at });
    return;
  }
  const visit = visits.get(id);
  // It was requested in the round before, where it was recorded as unanswered.
  if (visit === undefined) return;
  switch (event.kind) {
    case 'granted':
      visit.answered = visit.granted = at;
      visit.fencing = event.fencing;
      break;
    case 'ended':
      visit.ended = at;
      visit.aborted = event.aborted;
      break;
    case 'rejected':
      visit.answered = at;
      visit.reason = event.reason;
      break;
    case 'withdrew':
      visit.answered = at;
      break;
  }
}
