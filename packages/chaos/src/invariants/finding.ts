import type { Log } from '../log/event.ts';

/** What an invariant says of a log. */
export interface Findings {
  /** How many times it could have been broken: 0 says that nothing was tested. */
  readonly checked: number;
  /** What broke it, with the time. */
  readonly broken: readonly string[];
}

export type Invariant = (log: Log) => Findings;

/** A time as the report shows it: milliseconds since the log began. */
export function timeIn(log: Log, at: number): string {
  return `${(at - (log.events[0]?.at ?? at)).toFixed(1)} ms`;
}
