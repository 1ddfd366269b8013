import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import type { Distribution } from '../distributions.ts';
import { ACCEPT_COST } from './simulated-loop.ts';

/** How handlers work: on the loop at once, on the loop after a timer or a socket, or in a pool outside the loop. */
export type Kind = 'sync' | 'timer' | 'socket' | 'pool';

/** A server, its work and its load. */
export interface Cell {
  readonly kind: Kind;
  /** Mean milliseconds of work of a request. */
  readonly mean: number;
  readonly work: Distribution;
  /** Number of workers of a pool. */
  readonly workers: number;
  /** The load as a multiple of the capacity. */
  readonly load: number;
  /** Whether each request opens a new connection. */
  readonly connects: boolean;
  /** Simulated seconds. */
  readonly seconds: number;
  readonly seed: number;
}

/** Milliseconds of the loop to read a request, and to send a rejection. */
export const READ_COST = 0.1;
export const REJECTION_COST = 0.05;

/** Milliseconds that a handler waits before it works on the loop. */
export const waits: Readonly<Record<Kind, number>> = { sync: 0, timer: 5, socket: 1, pool: 0 };

/** A request: when it arrives, and how much work it is, in milliseconds. */
export interface Job {
  readonly at: number;
  readonly work: number;
}

/** The outcome of a request that arrived at `at`, after `took` milliseconds. */
export interface Outcome {
  readonly at: number;
  readonly took: number;
  readonly answered: boolean;
}

/** Milliseconds of the loop before a request can be handled. */
export function arrivalCost({ connects }: Cell): number {
  return connects ? READ_COST + ACCEPT_COST : READ_COST;
}

/** Requests per second that the server can answer. */
export function capacityOf(cell: Cell): number {
  const { kind, mean, workers } = cell;
  return kind === 'pool' ? (1000 * workers) / mean : 1000 / (mean + arrivalCost(cell));
}

/** Poisson arrivals (open loop), the same in each run. */
export function jobsOf(cell: Cell): Job[] {
  const generator = xoroshiro128plus(cell.seed);
  const random = () => uniformFloat64(generator);
  const gap = 1000 / (capacityOf(cell) * cell.load);
  const jobs: Job[] = [];
  for (let at = 0; ; ) {
    at -= gap * Math.log(1 - random());
    if (at > 1000 * cell.seconds) return jobs;
    jobs.push({ at, work: cell.work(random) });
  }
}
