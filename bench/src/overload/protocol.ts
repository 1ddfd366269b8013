import type { HostName } from '../hosts/index.ts';
import type { Resource, Work } from './resources.ts';

/** What all servers of a run have in common: the framework, and the calibrated work. */
export interface Setup {
  host: HostName;
  work: Work;
}

/** What a process serves: a kind of handler, or only rejections. */
export interface Assignment extends Setup {
  server: string;
  resource: Resource | 'rejecting';
}

/** A sample of the limit. `time` is in milliseconds of the system clock. */
export interface LimitSample {
  time: number;
  limit: number;
}

/** A server's report on itself. */
export interface ProcessReport {
  /** CPU time of its main thread in milliseconds. */
  cpu: number;
  /** Milliseconds for which its main thread was runnable but waited for a core; 0 if unknown. */
  starved: number;
  /** The maximum resident set size in bytes. */
  maxRss: number;
  /** Samples of the limit, every tenth of a second unless the main thread is busy. */
  limitSamples: LimitSample[];
}
