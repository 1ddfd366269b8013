import type { Priority } from '@headgate/core';
import type { Distribution } from '../distributions.ts';
import { randomFrom } from '../random.ts';
import { ACCEPT_COST } from './simulated-loop.ts';

/**
 * What handlers do: compute immediately, or after a timer, a socket or a query, or between two queries; or use a pool.
 */
export type HandlerKind = 'sync' | 'timer' | 'socket' | 'query' | 'queries' | 'pool';

/** Other work of the event loop, from a certain time until the end. Times are in milliseconds. */
export interface OtherWork {
  readonly from: number;
  /** For how long the other work keeps the loop busy without a pause. */
  readonly busy: number;
  /** For how long the other work waits in between. 0: it yields with `setImmediate`. */
  readonly idle: number;
}

/** A server, what a request costs it, and its load. */
export interface Workload {
  readonly kind: HandlerKind;
  /** Milliseconds that a request takes, on average. */
  readonly mean: number;
  readonly serviceTime: Distribution;
  /** Number of workers of a pool. */
  readonly workers: number;
  /** Pauses of all workers: milliseconds from one pause to the next, and milliseconds of each pause. */
  readonly pauses?: { readonly every: number; readonly length: number };
  /** Other work in the process, such as a batch job, which takes turns with requests. */
  readonly otherWork?: OtherWork;
  /** The load as a multiple of the capacity. */
  readonly load: number;
  /** Whether each request opens a new connection. */
  readonly connects: boolean;
  /** Simulated seconds. */
  readonly seconds: number;
  readonly seed: number;
  /** Whether the process has just started: until its code is compiled, everything takes several times as long. */
  readonly isCold?: boolean;
}

/** Milliseconds that the loop needs to read a request, and to send a rejection. */
export const READ_COST = 0.1;
export const REJECTION_COST = 0.05;

/** Milliseconds after which a client gives up, and disconnects. */
export const PATIENCE_MS = 1000;

/** Milliseconds that a handler waits before and after it keeps the loop busy. */
export const waits: Readonly<Record<HandlerKind, readonly [before: number, after: number]>> = {
  sync: [0, 0],
  timer: [5, 0],
  socket: [1, 0],
  query: [100, 0],
  queries: [100, 10],
  pool: [0, 0],
};

/** Milliseconds that a handler waits in total. */
export function waitOf(kind: HandlerKind): number {
  const [before, after] = waits[kind];
  return before + after;
}

/** A request: when it arrives, and how long it keeps the loop or a worker busy, in milliseconds. */
export interface Job {
  readonly at: number;
  readonly work: number;
  /** Default: `normal`. */
  readonly priority?: Priority;
}

/** The outcome of a request that arrived at `at`, after `took` milliseconds. */
export interface Outcome {
  readonly at: number;
  readonly priority?: Priority | undefined;
  readonly took: number;
  readonly answered: boolean;
}

/** Milliseconds that the loop needs before a request can be handled. */
export function arrivalCost({ connects }: Workload): number {
  return connects ? READ_COST + ACCEPT_COST : READ_COST;
}

/** Requests per second that the server can answer. */
export function capacityOf(workload: Workload): number {
  const { kind, mean, workers } = workload;
  return kind === 'pool' ? (1000 * workers) / mean : 1000 / (mean + arrivalCost(workload));
}

/** Poisson arrivals (open loop), the same in each run. */
export function jobsOf(workload: Workload): Job[] {
  const random = randomFrom(workload.seed);
  const gap = 1000 / (capacityOf(workload) * workload.load);
  const jobs: Job[] = [];
  for (let at = 0; ; ) {
    at -= gap * Math.log(1 - random());
    if (at > 1000 * workload.seconds) return jobs;
    jobs.push({ at, work: workload.serviceTime(random) });
  }
}
