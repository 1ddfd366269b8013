import type { SimulatedLoop } from './simulated-loop.ts';
import { type Workload, waits } from './workload.ts';

/** The handlers of a server, and the pool that they use. */
export class Handlers {
  /** The work that had to wait for a worker, in order. The pieces before `#started` have been started. */
  readonly #queue: (() => void)[] = [];
  #started = 0;
  #free: number;

  constructor(
    private readonly workload: Pick<Workload, 'kind' | 'workers' | 'pauses'>,
    private readonly loop: SimulatedLoop,
  ) {
    this.#free = workload.workers;
  }

  handle(work: number, done: () => void): void {
    const { kind } = this.workload;
    const [before, after] = waits[kind];
    const compute = () => {
      this.loop.spend(work);
      if (after === 0) done();
      else this.loop.receive(done, after);
    };
    if (kind === 'sync') compute();
    else if (kind === 'pool') this.#useWorker(work, done);
    else if (kind === 'timer') this.loop.setTimeout(compute, before);
    else this.loop.receive(compute, before);
  }

  #useWorker(work: number, done: () => void): void {
    const start = () => {
      this.loop.receive(() => {
        // Not `shift`, which would take most of the time in an overload.
        const next = this.#queue[this.#started];
        if (next === undefined) this.#free++;
        else {
          this.#started++;
          next();
        }
        done();
      }, this.#timeFor(work));
    };
    if (this.#free === 0) this.#queue.push(start);
    else {
      this.#free--;
      start();
    }
  }

  /** Milliseconds that a worker needs for the work if it starts now. */
  #timeFor(work: number): number {
    const { pauses } = this.workload;
    if (pauses === undefined) return work;
    const { every, length } = pauses;
    const now = this.loop.now();
    const sincePause = now % every;
    if (now >= every && sincePause < length) return length - sincePause + work;
    return sincePause + work > every ? work + length : work;
  }
}
