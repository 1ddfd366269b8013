import type { MeasuredLoop } from './event-loop.ts';

/** Fewer consecutive iterations with a connection than this may be chance. */
const MIN_ITERATIONS = 4;

/**
 * Estimates whether connections wait to be accepted. Node accepts one per loop iteration (libuv since 1.45), so
 * during long iterations they wait where nothing can observe them. As long as any wait, every iteration accepts one.
 */
export class AcceptQueue {
  #iteration = Number.NEGATIVE_INFINITY;
  #since = 0;
  /** Number of consecutive iterations that accepted a connection. */
  #count = 0;

  constructor(private readonly loop: MeasuredLoop) {
    loop.onAccept(() => this.#accepted());
  }

  /**
   * The maximum time that a connection may have waited, in milliseconds: the time since the last iteration without
   * one.
   */
  longestWait(): number {
    const { loop } = this;
    const hasNone = this.#count < MIN_ITERATIONS || loop.iterations() - this.#iteration > 1;
    return hasNone ? 0 : loop.now() - this.#since;
  }

  #accepted(): void {
    const iteration = this.loop.iterations();
    if (iteration - this.#iteration > 1) {
      this.#since = this.loop.now();
      this.#count = 0;
    }
    this.#count++;
    this.#iteration = iteration;
  }
}
