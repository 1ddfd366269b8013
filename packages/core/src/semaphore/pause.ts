import { Alarm, type Clock } from '../clock.ts';

/** Number of steps in which the limit returns after the pause. */
const STEPS = 20;

/** Maximum pause in milliseconds: an hour. */
const MAX_PAUSE = 3_600_000;

/**
 * Withholds a limit while the service behind it refuses requests. After the pause, the limit returns in steps, over the
 * same time as the pause has lasted: otherwise all waiting requests would reach the service at once.
 */
export class Pause {
  #until = -Infinity;
  #length = 0;
  readonly #alarm: Alarm;

  constructor(
    private readonly clock: Clock,
    /** Called when less of the limit is withheld, after `watch`. */
    changed: () => void,
    background = false,
  ) {
    this.#alarm = new Alarm(clock, changed, background);
  }

  /**
   * Pauses for this many milliseconds from now, unless it is paused for longer already. The limit returns no sooner than
   * an earlier pause lets it.
   */
  extend(milliseconds: number): void {
    const length = Math.min(milliseconds, MAX_PAUSE);
    const until = this.clock.now() + length;
    if (length === 0 || until <= this.#until) return;
    const returned = this.#until + this.#length;
    this.#until = until;
    this.#length = Math.max(length, returned - until);
    this.#alarm.clear();
  }

  /** Milliseconds until requests are admitted again. */
  get left(): number {
    return Math.max(0, this.#until - this.clock.now());
  }

  /** The weight that is withheld of this limit now. */
  withheld(limit: number): number {
    return Math.floor((limit * (STEPS - this.#steps)) / STEPS);
  }

  /** Calls back when the next part returns. */
  watch(): void {
    const steps = this.#steps;
    if (steps < STEPS) this.#alarm.set(this.#returnOf(steps), this.clock.now());
  }

  unwatch(): void {
    this.#alarm.clear();
  }

  /** Number of steps that have returned. Computed from the times of the timers: a quotient could be rounded below them. */
  get #steps(): number {
    const now = this.clock.now();
    let steps = 0;
    while (steps < STEPS && now >= this.#returnOf(steps)) steps++;
    return steps;
  }

  /** When a step returns. The first one returns when the pause ends. */
  #returnOf(step: number): number {
    return this.#until + (step * this.#length) / STEPS;
  }
}
