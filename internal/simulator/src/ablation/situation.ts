/** A situation that random workloads do not have. */
export interface Situation {
  readonly name: string;
  /** Returns the fraction of the requests answered in time, relative to the number that could be. */
  answered(): number;
}
