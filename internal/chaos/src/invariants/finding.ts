import type { Log } from '../log/event.ts';

/** The result of checking an invariant on a log. */
export interface Findings {
  /** How many times the invariant could have been violated; 0 means that it was not tested. */
  readonly checked: number;
  /** A description of each violation, with its time. */
  readonly broken: readonly string[];
}

export type Invariant = (log: Log) => Findings;

/** A time as shown in the report: milliseconds since the start of the log. */
export function timeIn(log: Log, at: number): string {
  return `${(at - (log.events[0]?.at ?? at)).toFixed(1)} ms`;
}
