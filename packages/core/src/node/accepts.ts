import type { EventLoop } from './event-loop.ts';

/** Fewer connections than this in as many turns may be chance. */
const several = 4;

/**
 * Whether connections wait to be accepted. Node accepts one in a turn (libuv since 1.45), so under long turns they wait where
 * nothing sees them. But while some do, no turn goes by without one being accepted.
 */
export class Accepts {
  #turn = Number.NEGATIVE_INFINITY;
  #since = 0;
  /** In how many turns in a row. */
  #count = 0;

  constructor(private readonly loop: EventLoop) {
    loop.onAccept(() => this.#accepted());
  }

  /** Milliseconds that one may have waited at most: since the last turn in which there was none. */
  longestWait(): number {
    const { loop } = this;
    const isOver = this.#count < several || loop.turns() - this.#turn > 1;
    return isOver ? 0 : loop.now() - this.#since;
  }

  #accepted(): void {
    const turn = this.loop.turns();
    if (turn - this.#turn > 1) {
      this.#since = this.loop.now();
      this.#count = 0;
    }
    this.#count++;
    this.#turn = turn;
  }
}
