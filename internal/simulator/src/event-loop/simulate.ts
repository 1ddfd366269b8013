import {
  adaptive,
  byPriority,
  createLimiter,
  fifo,
  type LocalLimiter,
  defaultLimit as limitOf,
  type Order,
  type Permit,
  Waiter,
} from '@headgate/core';
import { Handlers } from './handlers.ts';
import { type Incoming, SimulatedLoop } from './simulated-loop.ts';
import {
  type Job,
  type Outcome,
  PATIENCE_MS,
  READ_COST,
  REJECTION_COST,
  type Workload,
} from './workload.ts';

/** The adaptive limit inside the default limit. */
export const defaultLimit = adaptive({ min: 4, initial: 8, max: 10_000 });

/** What decides about requests: a limiter, or what it is compared with. */
export type Admission = Pick<LocalLimiter, 'request' | 'withdraw'>;

/** The limiter of a middleware that has no options. */
function defaultLimiter(loop: SimulatedLoop, order: Order = fifo()): LocalLimiter {
  return createLimiter({
    limit: limitOf({}, loop),
    order,
    clock: loop,
  });
}

/** The limiter of a middleware whose only option is `priority`. */
export function limiterByPriority(loop: SimulatedLoop): LocalLimiter {
  return defaultLimiter(loop, byPriority());
}

/** Admits every request. */
export function noLimiter(loop: SimulatedLoop): LocalLimiter {
  return createLimiter({ limit: Number.MAX_SAFE_INTEGER, clock: loop });
}

/**
 * Runs the jobs through a limiter in front of the handlers. Default: the limiter of a middleware that has no options.
 */
export function simulate(
  workload: Workload,
  jobs: readonly Job[],
  limiterOf: (loop: SimulatedLoop) => Admission = defaultLimiter,
): Outcome[] {
  const loop = new SimulatedLoop(workload.connects, workload.isCold);
  const limiter = limiterOf(loop);
  const handlers = new Handlers(workload, loop);
  doOtherWork(loop, workload);
  const outcomes: Outcome[] = [];
  const incoming = jobs.map((job): Incoming => {
    const { at, priority } = job;
    const end = (answered: boolean) =>
      outcomes.push({ at, priority, took: loop.now() - at, answered });
    const request = new ClientRequest(job, loop, limiter, handlers, end);
    return { at, callback: () => request.read() };
  });
  loop.run(incoming);
  return outcomes;
}

function doOtherWork(loop: SimulatedLoop, { otherWork, seconds }: Workload): void {
  if (otherWork === undefined) return;
  const { from, busy, idle } = otherWork;
  const work = () => {
    // Otherwise the simulation would never end.
    if (loop.now() > 1000 * seconds) return;
    loop.spend(busy);
    if (idle === 0) loop.whenPolled(work);
    else loop.receive(work, idle);
  };
  loop.receive(work, from);
}

/** A request whose client disconnects when it gives up. */
class ClientRequest extends Waiter {
  #disconnect: Incoming | undefined;

  constructor(
    private readonly job: Job,
    private readonly loop: SimulatedLoop,
    private readonly limiter: Admission,
    private readonly handlers: Handlers,
    private readonly end: (answered: boolean) => void,
  ) {
    super();
    this.priority = job.priority ?? 'normal';
  }

  read(): void {
    const { job, loop } = this;
    loop.spend(READ_COST);
    const patience = Math.max(0, job.at + PATIENCE_MS - loop.now());
    this.#disconnect = loop.receive(() => this.#leave(), patience);
    this.limiter.request(this);
  }

  granted(permit: Permit): void {
    this.#stay();
    this.handlers.handle(this.job.work, () => {
      this.end(true);
      permit.release();
    });
  }

  rejected(): void {
    this.#stay();
    this.loop.spend(REJECTION_COST);
    this.end(false);
  }

  #stay(): void {
    if (this.#disconnect) this.#disconnect.callback = undefined;
  }

  #leave(): void {
    this.limiter.withdraw(this);
    this.end(false);
  }
}
