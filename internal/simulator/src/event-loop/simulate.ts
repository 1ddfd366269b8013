import {
  adaptive,
  createLimiter,
  fifo,
  type LocalLimiter,
  type Permit,
  paced,
} from '@headgate/core';
import { CallbackWaiter } from '../callback-waiter.ts';
import { type Incoming, SimulatedLoop } from './simulated-loop.ts';
import {
  type Job,
  type Outcome,
  READ_COST,
  REJECTION_COST,
  type Workload,
  waits,
} from './workload.ts';

/** The limiter of a middleware without options. */
function defaultLimiter(loop: SimulatedLoop): LocalLimiter {
  return createLimiter({
    limit: adaptive({ min: 8, initial: 8 }),
    order: paced(fifo(), loop),
    queueLimit: Number.POSITIVE_INFINITY,
    clock: loop,
    random: () => 0.5,
  });
}

/** Runs the jobs through the default limit in front of the handlers. */
export function simulate(workload: Workload, jobs: readonly Job[]): Outcome[] {
  const loop = new SimulatedLoop(workload.connects, workload.isCold);
  const limiter = defaultLimiter(loop);
  const handlers = new Handlers(workload, loop);
  const outcomes: Outcome[] = [];
  const end = ({ at }: Job, answered: boolean) =>
    outcomes.push({ at, took: loop.now() - at, answered });
  const incoming = jobs.map((job): Incoming => {
    const granted = (permit: Permit) =>
      handlers.handle(job.work, () => {
        end(job, true);
        permit.release();
      });
    const rejected = () => {
      loop.spend(REJECTION_COST);
      end(job, false);
    };
    const read = () => {
      loop.spend(READ_COST);
      new CallbackWaiter(granted, rejected).requestFrom(limiter);
    };
    return { at: job.at, read };
  });
  loop.run(incoming);
  return outcomes;
}

/** The handlers of a server, and the pool that they use. */
class Handlers {
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(
    private readonly workload: Workload,
    private readonly loop: SimulatedLoop,
  ) {
    this.#free = workload.workers;
  }

  handle(work: number, done: () => void): void {
    const { kind } = this.workload;
    const compute = () => {
      this.loop.spend(work);
      done();
    };
    if (kind === 'sync') compute();
    else if (kind === 'pool') this.#useWorker(work, done);
    else if (kind === 'timer') this.loop.setTimeout(compute, waits.timer);
    else this.loop.receive(compute, waits[kind]);
  }

  #useWorker(work: number, done: () => void): void {
    const start = () => {
      this.loop.receive(() => {
        const next = this.#queue.shift();
        if (next === undefined) this.#free++;
        else next();
        done();
      }, work);
    };
    if (this.#free === 0) this.#queue.push(start);
    else {
      this.#free--;
      start();
    }
  }
}
