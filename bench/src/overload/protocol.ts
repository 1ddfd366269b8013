import type { Kind, Work } from './kinds.ts';

/** What a process is to serve: a kind of handler, or nothing but rejections. */
export interface Assignment {
  server: string;
  kind: Kind | 'rejecting';
  work: Work;
}

/** Where a limit stood, and when: milliseconds of the system's clock. */
export interface Stand {
  time: number;
  limit: number;
}

/** What a server says of itself when it is asked. */
export interface ProcessReport {
  /** Milliseconds of CPU of its main thread. */
  cpu: number;
  /** Milliseconds for which its main thread could have run and had to wait for a core; 0 where that is not told. */
  starved: number;
  /** Bytes, the most it ever had. */
  maxRss: number;
  /** Each tenth of a second, if the main thread is free. */
  stands: Stand[];
}

/** Requests to this path are never answered. */
export const holdPath = '/hold';
