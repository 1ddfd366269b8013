import { createLimiter, type LimiterOptions, type Permit } from '@headgate/core';
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { CallbackWaiter } from '../callback-waiter.ts';
import type { Distribution } from '../distributions.ts';
import { ACCEPT_COST, SimulatedLoop } from './simulated-loop.ts';

/** How handlers do their work: immediately, after a timer or a socket, or outside the loop in a pool. */
export type Kind = 'sync' | 'timer' | 'socket' | 'pool';

/** One combination of work and load. */
export interface Cell {
  readonly kind: Kind;
  /** Mean milliseconds of work of a request. */
  readonly mean: number;
  readonly work: Distribution;
  /** Number of workers of the pool. */
  readonly workers?: number;
  /** The load as a multiple of the capacity. */
  readonly load: number;
  /** Whether each request opens a new connection. */
  readonly connects?: boolean;
  readonly seed?: number;
  readonly seconds?: number;
}

/** Milliseconds of the loop to read a request, and to reject one. */
const READ_COST = 0.1;
const REJECTION_COST = 0.05;

/** Milliseconds that a handler waits before its work, by its kind. */
const waits = { sync: 0, timer: 5, socket: 1, pool: 0 };

/** A request that arrived at `at`; its answer took `took` milliseconds, unless it was rejected. */
export interface Answer {
  readonly at: number;
  readonly took: number;
  readonly answered: boolean;
}

export interface Job {
  readonly at: number;
  readonly work: number;
}

/** Requests per second that the server can answer. */
function capacityOf(cell: Cell): number {
  const { kind, mean, workers = 1 } = cell;
  return kind === 'pool' ? (1000 * workers) / mean : 1000 / (mean + readCost(cell));
}

function readCost({ connects }: Cell): number {
  return connects === true ? READ_COST + ACCEPT_COST : READ_COST;
}

/** The same for each policy. */
export function jobsOf(cell: Cell): Job[] {
  const generator = xoroshiro128plus(cell.seed ?? 1);
  const random = () => uniformFloat64(generator);
  const jobs: Job[] = [];
  const gap = 1000 / (capacityOf(cell) * cell.load);
  const end = 1000 * (cell.seconds ?? 60);
  for (let at = 0; ; ) {
    at -= gap * Math.log(1 - random());
    if (at > end) return jobs;
    jobs.push({ at, work: cell.work(random) });
  }
}

export function simulate(
  cell: Cell,
  options: (loop: SimulatedLoop) => LimiterOptions,
  jobs = jobsOf(cell),
): Answer[] {
  const loop = new SimulatedLoop(cell.connects);
  const limiter = createLimiter({ ...options(loop), clock: loop, random: () => 0.5 });
  const answers: Answer[] = [];
  const pool = new Pool(loop, cell.workers ?? 1);
  const handle = ({ at, work }: Job, permit: Permit) => {
    const done = () => {
      answers.push({ at, took: loop.now() - at, answered: true });
      permit.release();
    };
    const compute = () => {
      loop.spend(work);
      done();
    };
    if (cell.kind === 'sync') compute();
    else if (cell.kind === 'pool') pool.serve(work, done);
    else loop.setTimeout(compute, waits[cell.kind]);
  };
  const incoming = jobs.map((job) => ({
    at: job.at,
    read: () => {
      loop.spend(READ_COST);
      const waiter = new CallbackWaiter(
        (permit) => handle(job, permit),
        () => {
          loop.spend(REJECTION_COST);
          answers.push({ at: job.at, took: loop.now() - job.at, answered: false });
        },
      );
      waiter.requestFrom(limiter);
    },
  }));
  loop.run(incoming);
  return answers;
}

/** Workers outside the loop, with a queue that is first in, first out. */
class Pool {
  #queue: (() => void)[] = [];
  #head = 0;

  constructor(
    private readonly loop: SimulatedLoop,
    private free: number,
  ) {}

  serve(work: number, done: () => void): void {
    const start = () => {
      this.loop.setTimeout(() => {
        const next = this.#queue[this.#head++];
        if (next === undefined) {
          this.#queue = [];
          this.#head = 0;
          this.free++;
        } else next();
        done();
      }, work);
    };
    if (this.free === 0) this.#queue.push(start);
    else {
      this.free--;
      start();
    }
  }
}

/** First in, first out with one fixed bound of the wait: what it would answer. */
function fifoWithBound(cell: Cell, jobs: readonly Job[], maxWait: number): Answer[] {
  const isPool = cell.kind === 'pool';
  const free = new Array<number>(isPool ? (cell.workers ?? 1) : 1).fill(0);
  return jobs.map(({ at, work }) => {
    const first = free.indexOf(Math.min(...free));
    const start = Math.max(free[first] as number, at);
    if (start - at > maxWait) {
      // A rejection takes time of the loop as well, but not of a pool.
      if (!isPool) free[first] = (free[first] as number) + readCost(cell) + REJECTION_COST;
      return { at, took: 0, answered: false };
    }
    const end = start + work + (isPool ? 0 : readCost(cell));
    free[first] = end;
    return { at, took: end + waits[cell.kind] - at, answered: true };
  });
}

export interface Figures {
  /** Answered within a second, as a fraction of the capacity. */
  readonly answered: number;
  readonly p50: number;
  readonly p99: number;
  /** Fraction rejected. */
  readonly rejected: number;
}

export function figuresOf(cell: Cell, answers: readonly Answer[], from = 2000): Figures {
  const end = 1000 * (cell.seconds ?? 60);
  const seen = answers.filter(({ at }) => at >= from && at < end);
  const took = seen.filter(({ answered }) => answered).map((answer) => answer.took);
  took.sort((one, other) => one - other);
  const inTime = took.filter((time) => time < 1000).length;
  const quantile = (part: number) => took[Math.floor(part * took.length)] ?? Number.NaN;
  return {
    answered: (1000 * inTime) / (end - from) / capacityOf(cell),
    p50: quantile(0.5),
    p99: quantile(0.99),
    rejected: seen.filter(({ answered }) => !answered).length / seen.length,
  };
}

/** What the best fixed bound of the wait answers whose p99 is at most this. */
export function reference(cell: Cell, jobs: readonly Job[], p99: number): Figures {
  let best: Figures | undefined;
  let low = 0;
  let high = 1000;
  for (let step = 0; step < 12; step++) {
    const maxWait = (low + high) / 2;
    const figures = figuresOf(cell, fifoWithBound(cell, jobs, maxWait));
    if (figures.p99 <= p99) {
      low = maxWait;
      best = figures;
    } else high = maxWait;
  }
  return best ?? figuresOf(cell, fifoWithBound(cell, jobs, 0));
}
