import type { Clock } from '@headgate/core';
import { maxTimer } from '@headgate/core/distributed';

/** Milliseconds after which an unused process sends nothing any more. */
const IDLE_AFTER = 1_000;

/** The last statement of a process is answered before its connections are closed. */
export const MIN_IDLE_TIMEOUT = 2 * IDLE_AFTER;

export interface IdleTimerOptions {
  readonly clock: Clock;
  /** Milliseconds after which the connections of an unused process are closed; Infinity: never. */
  readonly idleTimeout: number;
  /** Whether this process holds or awaits a permit. */
  isActive(): boolean;
  /** The process is unused: stops everything that sends statements of its own accord. */
  suspend(): void;
  /** The process has been unused for `idleTimeout`. */
  disconnect(): void;
}

/**
 * Detects that a process is unused: it holds no permit, has no waiter, and calls nothing. It then has nothing to watch
 * and nothing to lose, and leaves the database alone. That waits for a second, since it costs a statement to stop and
 * another one to resume.
 */
export class IdleTimer {
  readonly #options: IdleTimerOptions;
  /** Whether nothing is sent before the next call. True at first: a new store has no connection. */
  isIdle = true;
  #usedAt = -Infinity;
  #timer: unknown;

  constructor(options: IdleTimerOptions) {
    this.#options = options;
  }

  /** The store is called. */
  used(): void {
    this.#usedAt = this.#options.clock.now();
    if (this.#timer === undefined) this.#checkIn(IDLE_AFTER);
  }

  /** The process takes part again. */
  wake(): void {
    this.isIdle = false;
    this.used();
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
  }

  #check(): void {
    const { clock, idleTimeout, isActive, suspend, disconnect } = this.#options;
    const unusedFor = clock.now() - this.#usedAt;
    if (isActive()) this.used();
    else if (unusedFor < IDLE_AFTER) this.#checkIn(IDLE_AFTER - unusedFor);
    else {
      if (!this.isIdle) suspend();
      this.isIdle = true;
      if (unusedFor >= idleTimeout) disconnect();
      else this.#checkIn(idleTimeout - unusedFor);
    }
  }

  #checkIn(delay: number): void {
    const check = () => {
      this.#timer = undefined;
      this.#check();
    };
    const timer = this.#options.clock.setTimeout(check, Math.min(delay, maxTimer));
    (timer as Partial<NodeJS.Timeout>).unref?.();
    this.#timer = timer;
  }
}
