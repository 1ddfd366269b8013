import type { Clock } from '../clock.ts';
import { Heap } from '../semaphore/heap.ts';

interface Timer {
  due: number;
  /** Index in the heap; -1 once it has ended. */
  index: number;
  readonly callback: () => void;
}

/** The clock of a simulation. */
export interface SimulationClock extends Clock {
  /** Called with the present time before each use of the simulation. */
  advance(to: number): void;
}

/** A clock that only `advance` moves. */
export class VirtualClock implements SimulationClock {
  readonly #timers = new Heap<Timer>();

  constructor(
    private time: number,
    readonly random: () => number,
  ) {}

  now(): number {
    return this.time;
  }

  setTimeout(callback: () => void, delay: number): Timer {
    const timer = { due: this.time + delay, index: -1, callback };
    this.#timers.add(timer);
    return timer;
  }

  clearTimeout(timer: Timer): void {
    // A timer that has ended may be cleared, as in the runtime.
    if (timer.index >= 0) this.#end(timer);
  }

  /** Runs all timers due until then, each at its own time. */
  advance(to: number): void {
    for (let { first } = this.#timers; first && first.due <= to; { first } = this.#timers) {
      this.#end(first);
      this.time = Math.max(this.time, first.due);
      first.callback();
    }
    this.time = Math.max(this.time, to);
  }

  #end(timer: Timer): void {
    this.#timers.delete(timer);
    timer.index = -1;
  }
}
