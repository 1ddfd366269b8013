import type { Log } from './event.ts';

/** A call, from its request to its end. */
export interface CallRecord {
  readonly worker: string;
  readonly call: number;
  readonly weight: number;
  readonly requested: number;
  /** Its queue timeout in milliseconds. */
  readonly queueTimeout: number;
  /** When the call was granted, rejected or withdrawn; undefined if it never was. */
  answered?: number;
  granted?: number;
  fencing?: string | undefined;
  /** When the call's work ended, or its process, if that was earlier. */
  ended?: number;
  aborted?: boolean;
  reason?: string;
}

/** Returns the calls in the order of their requests. The end of a process ends the work of its calls. */
export function callRecordsOf(log: Log): CallRecord[] {
  const records = new Map<string, CallRecord>();
  for (const event of log.events) {
    if (event.kind === 'killed' || event.kind === 'exited') {
      for (const record of records.values())
        if (record.worker === event.worker) record.ended ??= event.at;
    } else if ('call' in event) {
      follow(records, event);
    }
  }
  return [...records.values()];
}

function follow(
  records: Map<string, CallRecord>,
  event: Extract<Log['events'][number], { call: number }>,
) {
  const { worker, call, at } = event;
  const id = `${worker}/${call}`;
  if (event.kind === 'requested') {
    const { weight, queueTimeout } = event;
    records.set(id, { worker, call, weight, queueTimeout, requested: at });
    return;
  }
  const record = records.get(id);
  // The call was requested in the round before, which has recorded it as unanswered.
  if (record === undefined) return;
  switch (event.kind) {
    case 'granted':
      record.answered = record.granted = at;
      record.fencing = event.fencing;
      break;
    case 'ended':
      record.ended = at;
      record.aborted = event.aborted;
      break;
    case 'rejected':
      record.answered = at;
      record.reason = event.reason;
      break;
    case 'withdrawn':
      record.answered = at;
      break;
  }
}
