import type { Kind, Work } from './kinds.ts';

/** What a process serves: a kind of handler, or only rejections. */
export interface Assignment {
  server: string;
  kind: Kind | 'rejecting';
  work: Work;
}

/** A limit at a time, in milliseconds of the system clock. */
export interface Stand {
  time: number;
  limit: number;
}

/** A server's own figures, sent on request. */
export interface ProcessReport {
  /** Milliseconds of CPU of its main thread. */
  cpu: number;
  /**
   * Milliseconds for which its main thread was runnable and waited for a core; 0 if the system does not report that.
   */
  starved: number;
  /** Maximum memory in bytes. */
  maxRss: number;
  /** Every tenth of a second, if the main thread is free. */
  stands: Stand[];
}

/** Requests to this path never get a response. */
export const holdPath = '/hold';
